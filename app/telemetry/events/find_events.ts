import type { DatabasePool } from '#database/database_pool'
import { Bindings } from '#query/sql/bindings'
import { OWN_REPORTERS } from './reporter.js'
import type { EventPlace, EventSearch } from './event_search.js'

const COLUMNS = { scope: 'scope', name: 'name', refType: 'ref_type', refId: 'ref_id' } as const
const NEWEST = 'order by created_at desc, id desc'

/**
 * The places of the newest events that match, in the given realms (null: events without a realm; undefined: all
 * events). A page costs the same however far back it is, since nothing is counted and nothing skipped.
 */
export async function findEvents(
  pool: DatabasePool,
  search: EventSearch,
  realms: readonly (string | null)[] | undefined
): Promise<EventPlace[]> {
  const bindings = new Bindings()
  const conditions = conditionsOf(search, bindings)
  const limit = bindings.bind(search.limit)
  // An index serves each realm in order, but not several at once.
  const parts = (realms ?? [undefined]).map((realm) => {
    const all = [...conditions, ...realmCondition(realm, bindings)]
    const matching = all.length === 0 ? '' : `where ${all.join(' and ')}`
    return `(select id, created_at from events ${matching} ${NEWEST} limit ${limit}::int)`
  })
  const { rows } = await pool.read<{ id: string; createdAt: Date }>({
    text: `select id::text, created_at as "createdAt" from (${parts.join(' union all ')}) found
      ${NEWEST} limit ${limit}::int`,
    values: [...bindings.values],
  })
  return rows.map(({ id, createdAt }) => ({ id, createdAt: new Date(createdAt).toISOString() }))
}

function conditionsOf(search: EventSearch, bindings: Bindings): string[] {
  const { actorIds, texts, reporter, from, to, before } = search
  const named = Object.entries(COLUMNS).flatMap(([name, column]) => {
    const text = texts[name as keyof typeof COLUMNS]
    return text === undefined ? [] : [`lower(${column}) = lower(${bindings.bind(text)}::text)`]
  })
  return [
    ...named,
    ...(actorIds ? [actorCondition(actorIds, bindings)] : []),
    ...(reporter ? [`reported_by = any(${bindings.bind(OWN_REPORTERS)}::text[])`] : []),
    ...(from ? [`created_at >= ${bindings.bind(from)}::timestamptz`] : []),
    ...(to ? [`created_at < ${bindings.bind(to)}::timestamptz`] : []),
    ...(before
      ? [
          `(created_at, id) < (${bindings.bind(before.createdAt)}::timestamptz, ${bindings.bind(before.id)}::uuid)`,
        ]
      : []),
  ]
}

/** One actor is compared by itself, so that its index serves the order as well. */
function actorCondition(ids: readonly string[], bindings: Bindings): string {
  return ids.length === 1
    ? `actor_id = ${bindings.bind(ids[0])}::uuid`
    : `actor_id = any(${bindings.bind(ids)}::uuid[])`
}

function realmCondition(realm: string | null | undefined, bindings: Bindings): string[] {
  if (realm === undefined) {
    return []
  }
  return [realm === null ? 'realm_id is null' : `realm_id = ${bindings.bind(realm)}::uuid`]
}
