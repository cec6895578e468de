import type { Invocation } from '#hubctl/invocation'
import { parseInterval, watch } from '#hubctl/output/watch'
import type { StuckAnalysis } from '#hubctl/platform/installation'

/** Shows the builds and distributions that do not continue by themselves. */
export async function showStuck(invocation: Invocation<{ watch?: string | boolean }>) {
  const { options, output } = invocation
  const api = await invocation.api()
  return watch(parseInterval(options.watch), async () => {
    const { data } = await api.read<{ data: StuckAnalysis[] }>('core', '/stuck-analyses')
    output.records(data, {
      kind: 'process',
      columns: ['name', 'process', 'status', 'since', 'problem'],
      nothing: 'No build and no distribution is stuck.',
    })
  })
}
