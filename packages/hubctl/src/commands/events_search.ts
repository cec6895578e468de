import { Command } from 'commander'

import { EXIT } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import type { Kinds } from '#hubctl/kinds/kinds'
import { CLIENTS, USERS } from '#hubctl/kinds/record_collections'
import { RecordNames } from '#hubctl/kinds/record_names'
import { wholeNumber } from '#hubctl/options'
import type { Api } from '#hubctl/platform/api'
import { readPage } from '#hubctl/platform/pages'
import { Problem, UsageProblem } from '#hubctl/problem'
import { isUuid } from '#kernel/is_uuid'
import { printEvent, type AuditEvent } from './print_event.js'

const DAY_MS = 86_400_000

interface SearchOptions {
  readonly actor?: string
  readonly kind?: string
  readonly record?: string
  readonly name?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
}

const MAX_PER_PAGE = 100

/** The command `events search`: who did what, also long ago. */
export function searchCommand(): Command {
  return new Command('search')
    .description('show who did what, the newest first')
    .option('--actor <actor>', 'what this user or client did: an id or a name')
    .option('--kind <kind>', 'what happened to records of this kind, such as node')
    .option('--record <record>', 'what happened to this record: an id, or a name with --kind')
    .option('--name <name>', 'what happened, such as updated')
    .option('--from <time>', 'from this day or time on, in UTC')
    .option('--to <time>', 'until the end of this day, or before this time, in UTC')
    .option('-l, --limit <count>', 'number of events', wholeNumber, 50)
    .action(perform(search))
}

async function search(invocation: Invocation<SearchOptions>): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const kinds = await invocation.kinds()
  const names = new RecordNames(api, kinds)
  const query = await searchQuery(api, kinds, options)
  let left = options.limit
  let before: string | null = null
  do {
    query.set('limit', String(Math.min(left, MAX_PER_PAGE)))
    if (before !== null) {
      query.set('before', before)
    }
    const { data, meta }: FoundEvents = await api.read('telemetry', '/events/search', { query })
    for (const event of data) {
      await printEvent(output, names, event)
    }
    left -= data.length
    before = meta.next
  } while (before !== null && left > 0)
}

interface FoundEvents {
  readonly data: readonly AuditEvent[]
  readonly meta: { readonly next: string | null }
}

async function searchQuery(
  api: Api,
  kinds: Kinds,
  { actor, kind, record, name, from, to }: SearchOptions
): Promise<URLSearchParams> {
  const given = {
    actorId: actor && (await actorIds(api, actor)),
    refType: kind && camelCase(kind),
    refId: record && (await recordId(api, kinds, record, kind)),
    name,
    from: from && timeOf(from, 0),
    to: to && timeOf(to, DAY_MS),
  }
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  return new URLSearchParams(named as [string, string][])
}

/** The ids of the users and clients of a name, since each is unique only within its realm and kind. */
async function actorIds(api: Api, actor: string): Promise<string> {
  if (isUuid(actor)) {
    return actor
  }
  const query: [string, string][] = [['filter', `eq(name,'${actor.replaceAll("'", "''")}')`]]
  const found = await Promise.all(
    [USERS, CLIENTS].map(({ service, path }) => readPage(api, service, path, { query, limit: 10 }))
  )
  const ids = found.flatMap(({ data }) => data.map(({ id }) => String(id)))
  if (ids.length === 0) {
    throw new Problem(EXIT.notFound, `There is no user or client named "${actor}".`, [
      'The id of one that was deleted still works: --actor <id>',
    ])
  }
  return ids.join()
}

async function recordId(
  api: Api,
  kinds: Kinds,
  record: string,
  kind: string | undefined
): Promise<string> {
  if (isUuid(record)) {
    return record
  }
  if (kind === undefined) {
    throw new UsageProblem(
      'A record was named without its kind.',
      'Add --kind, such as --kind node.'
    )
  }
  const { id } = await findRecord(api, await kinds.find(kind), record)
  return id
}

/** The time of a text; a day stands for its beginning, or for the one after it. */
function timeOf(text: string, laterMs: number): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const time = Date.parse(isDay ? `${text}T00:00:00Z` : text)
  if (Number.isNaN(time)) {
    throw new UsageProblem(`"${text}" is not a time.`, 'Write 2026-01-31 or 2026-01-31T12:00:00Z.')
  }
  return new Date(isDay ? time + laterMs : time).toISOString()
}

/** Events name kinds as in the interface, commands as in the shell. */
const camelCase = (kind: string): string =>
  kind.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
