import type { Invocation } from '#hubctl/invocation'
import { parseInterval, watch } from '#hubctl/output/watch'
import type { Fields } from '#hubctl/platform/pages'

/** A build or a distribution that failed, or whose worker is silent. */
interface StuckProcess extends Fields {
  readonly analysisId: string
  readonly name: string
  readonly process: string
  readonly status: string
  readonly since: string
  readonly problem: string | null
}

/** Shows the builds and distributions that do not go on by themselves. */
export async function showStuck(invocation: Invocation<{ watch?: string | boolean }>) {
  const { options, output } = invocation
  const api = await invocation.api()
  return watch(parseInterval(options.watch), async () => {
    const { data } = await api.read<{ data: StuckProcess[] }>('core', '/stuck-analyses')
    output.records(data, {
      kind: 'process',
      columns: ['name', 'process', 'status', 'since', 'problem'],
      nothing: 'No build and no distribution is stuck.',
    })
  })
}
