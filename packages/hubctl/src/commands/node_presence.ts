import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { NODES } from '#hubctl/kinds/record_collections'
import { wholeNumber } from '#hubctl/options'
import { cellOf } from '#hubctl/output/cell'
import type { Fields } from '#hubctl/platform/pages'

const DEFAULT_HOURS = 24

interface Presence extends Fields {
  readonly online: boolean
  readonly since: string | null
  readonly version: string | null
  readonly clockDifferenceMs: number | null
  readonly secretSince?: string | null
  readonly spans: readonly Fields[]
}

export function nodePresenceCommand(): Command {
  return new Command('presence')
    .description('show since when a node is online or away, and when it was before')
    .argument('<node>', 'its id or name')
    .option('--hours <count>', 'how far to look back, up to 720', wholeNumber, DEFAULT_HOURS)
    .action(perform(showPresence))
}

async function showPresence(
  invocation: Invocation<{ hours: number }>,
  idOrName: string
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id } = await findRecord(api, NODES, idOrName)
  const query = new URLSearchParams({ hours: String(options.hours) })
  const path = `${pathOf(NODES, id)}/presence`
  const { data } = await api.read<{ data: Presence }>(NODES.service, path, { query })
  if (!output.isTable) {
    return output.value(data)
  }
  output.records(data.spans, {
    kind: 'span',
    columns: ['from', 'until'],
    nothing: `The node was not online during the last ${options.hours} hours.`,
  })
  output.note(summaryOf(data))
}

function summaryOf({ online, since, version, clockDifferenceMs, secretSince }: Presence): string {
  const state = online ? 'Online since' : 'Away since'
  const facts = [since === null ? 'It has never called' : `${state} ${since} (${cellOf(since)})`]
  if (version !== null) {
    facts.push(`version ${version}`)
  }
  if (clockDifferenceMs !== null) {
    facts.push(`its clock differs by ${(clockDifferenceMs / 1_000).toFixed(1)} s`)
  }
  if (secretSince) {
    facts.push(`its secret was set ${secretSince} (${cellOf(secretSince)})`)
  }
  return `${facts.join(', ')}.`
}
