import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { readMailboxes, type Mailbox } from '#hubctl/kinds/mailbox'
import { NODES } from '#hubctl/kinds/record_collections'
import { wholeNumber } from '#hubctl/options'
import { cellOf } from '#hubctl/output/cell'
import { printable } from '#hubctl/output/printable'
import type { Fields } from '#hubctl/platform/pages'

const DEFAULT_HOURS = 24

interface Presence extends Fields {
  readonly online: boolean
  readonly since: string | null
  readonly version: string | null
  readonly clockDifferenceMs: number | null
  readonly unbounded?: readonly string[] | null
  readonly secretSince?: string | null
  readonly spans: readonly Fields[]
}

export function nodePresenceCommand(): Command {
  return new Command('presence')
    .description(
      'show since when a node is online or away, when it was before, and what waits for it'
    )
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
  const { id, clientId } = await findRecord(api, NODES, idOrName)
  const query = new URLSearchParams({ hours: String(options.hours) })
  const path = `${pathOf(NODES, id)}/presence`
  const { data } = await api.read<{ data: Presence }>(NODES.service, path, { query })
  const [mailbox] = typeof clientId === 'string' ? await readMailboxes(api, [clientId]) : []
  if (!output.isTable) {
    return output.value({ ...data, mailbox: mailbox ?? null })
  }
  output.records(data.spans, {
    kind: 'span',
    columns: ['from', 'until'],
    nothing: `The node was not online during the last ${options.hours} hours.`,
  })
  output.note(summaryOf(data))
  if (mailbox?.oldestAt) {
    output.note(waitingText(mailbox))
  }
}

/** What a node says about itself, in words; others are shown as they are. */
const UNBOUNDED = new Map([['sharedMemory', 'memory that the processes of an analysis share']])

function summaryOf(presence: Presence): string {
  const { online, since, version, clockDifferenceMs, unbounded, secretSince } = presence
  const state = online ? 'Online since' : 'Away since'
  const facts = [since === null ? 'It has never called' : `${state} ${since} (${cellOf(since)})`]
  if (version !== null) {
    facts.push(`version ${version}`)
  }
  if (clockDifferenceMs !== null) {
    facts.push(`its clock differs by ${(clockDifferenceMs / 1_000).toFixed(1)} s`)
  }
  if (unbounded?.length) {
    const names = unbounded.map((what) => UNBOUNDED.get(what) ?? printable(what))
    facts.push(`its limits do not cover ${names.join(' and ')}`)
  }
  if (secretSince) {
    facts.push(`its secret was set ${secretSince} (${cellOf(secretSince)})`)
  }
  return `${facts.join(', ')}.`
}

function waitingText({ messages, hasMore, oldestAt }: Mailbox): string {
  const waiting = messages === 1 ? 'One message waits' : `${messages} messages wait`
  return `${hasMore ? `More than ${waiting}` : waiting}, the oldest since ${oldestAt} (${cellOf(oldestAt)}).`
}
