import type pg from 'pg'

import { partOf } from '#database/kept_totals'
import { columnOf, quoteName } from '#query/sql/identifiers'
import type { Kind } from '#records/kind'
import { inTransaction } from '#records/transaction'

/** A total that was not what the records say; `by` is what was missing. */
export interface Correction {
  readonly part: string
  readonly by: number
}

/**
 * Counts the records of a kind and corrects the totals that differ. Both are seen as of one moment and the difference is noted as a
 * change, so that it stays right whatever is written meanwhile.
 */
export async function correctTotals(kind: Kind, pool: pg.Pool): Promise<Correction[]> {
  return inTransaction(pool, async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `totals:${kind.table}`,
    ])
    const { rows } = await transaction.query<{ part: string; change: string }>(correcting(kind), [
      kind.table,
    ])
    return rows.map(({ part, change }) => ({ part, by: Number(change) }))
  })
}

function correcting({ table, realm, columns }: Kind): string {
  const column = realm === undefined ? undefined : columnOf(realm, columns[realm]!)
  return `
    with counted as (
      select part, count(*) as records
      from (select ${partOf(column, 'r')} as part from ${quoteName(table)} r) parts group by part
    ), kept as (
      select part, sum(records) as records
      from (
        select part, records from record_totals where list = $1
        union all
        select part, change from record_total_changes where list = $1
      ) all_of_it
      group by part
    )
    insert into record_total_changes (list, part, change)
    select $1, part, coalesce(c.records, 0) - coalesce(k.records, 0)
    from counted c full join kept k using (part)
    where coalesce(c.records, 0) <> coalesce(k.records, 0)
    returning part, change`
}
