import type { Page } from '#console/page'
import type { QueryValues } from '#client/transport'
import { shellWord } from '#console/shell_word'
import { actorsNamed, idsNamed } from './record_places.js'

const FIELDS = ['who', 'kind', 'record', 'what', 'from', 'to'] as const
const DAY = /^\d{4}-\d\d-\d\d$/
const DAY_MS = 86_400_000
const LIMIT = 50

/** The fields of the filter form. */
export type FilterValues = Readonly<Record<(typeof FIELDS)[number], string>>

/** A filter with a name that the reader cannot find matches nothing. */
export interface EventFilter {
  readonly values: FilterValues
  readonly query: QueryValues | undefined
  /** The reason why nothing can match. */
  readonly unknown: 'who' | 'record' | undefined
  /** The ids of the record, if it has several: names are unique within a realm only. */
  readonly sameName: number
}

/** Reads the filter of the page and resolves its names. */
export async function readFilter(page: Page): Promise<EventFilter> {
  const values = Object.fromEntries(
    FIELDS.map((name) => [name, page.query.get(name)?.trim() ?? ''])
  ) as FilterValues
  const { who, kind, record, what, from, to } = values
  const [actors, records] = await Promise.all([
    who === '' ? undefined : actorsNamed(page, who),
    record === '' ? undefined : idsNamed(page, kind, record),
  ])
  const sameName = records?.length ?? 0
  if (actors?.length === 0 || records?.length === 0) {
    return { values, query: undefined, unknown: actors?.length === 0 ? 'who' : 'record', sameName }
  }
  const query = {
    actorId: actors?.join(),
    refType: kind || undefined,
    refId: records?.[0],
    name: what || undefined,
    from: startOf(from),
    to: startOf(to, DAY_MS),
    before: page.query.get('before') ?? undefined,
    limit: LIMIT,
  }
  return { values, query, unknown: undefined, sameName }
}

/** The URL of a page with a filter, without empty fields. */
export function filterPath(values: Partial<FilterValues>, before?: string): string {
  const named = Object.entries({ ...values, before }).filter(([, value]) => value)
  const query = new URLSearchParams(named as [string, string][])
  return query.size === 0 ? '/audit' : `/audit?${query}`
}

/** The equivalent command of hubctl. */
export function commandFor({ who, kind, record, what, from, to }: FilterValues): string {
  const options = Object.entries({ actor: who, kind, record, name: what, from, to })
  const given = options.filter(([, value]) => value !== '')
  return [
    'hubctl events search',
    ...given.map(([name, value]) => `--${name} ${shellWord(value)}`),
  ].join(' ')
}

/** The beginning of a day in UTC, or of another one; undefined for an invalid day. */
function startOf(day: string, laterMs = 0): string | undefined {
  const time = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return Number.isNaN(time) ? undefined : new Date(time + laterMs).toISOString()
}
