import type { DatabasePool } from '#database/database_pool'
import { keyOf, partyFromKey, type Party } from './party.js'

/** An arrival in a mailbox. The number of all arrivals so far shows listeners whether they know of it. */
export interface Arrival {
  /** The key of the mailbox. */
  readonly key: string
  readonly arrivals: number
}

/** The given mailboxes that have messages, with their numbers of arrivals. */
export async function findNonEmptyMailboxes(
  pool: DatabasePool,
  keys: readonly string[]
): Promise<Map<string, number>> {
  const parties = keys.map(partyFromKey)
  const { rows } = await pool.read<Party & { arrivals: number }>({
    name: 'waiting-mailboxes',
    text: `
      select recipient_type as type, recipient_id as id, arrivals::float8 as arrivals
      from unnest($1::text[], $2::uuid[]) as asked (type, id)
      join mailboxes on recipient_type = asked.type and recipient_id = asked.id
      where messages > 0`,
    values: [parties.map(({ type }) => type), parties.map(({ id }) => id)],
  })
  return new Map(rows.map(({ arrivals, ...party }) => [keyOf(party), arrivals]))
}
