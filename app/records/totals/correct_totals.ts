import type pg from 'pg'

import { groupSql, realmKeySql } from '#database/maintained_totals'
import { columnOf, quoteName } from '#query/sql/identifiers'
import type { Kind } from '#records/kind'
import { inTransaction } from '#records/transaction'

/** A corrected total; `by` is the difference. */
export interface Correction {
  readonly realmId: string
  readonly by: number
}

/** The list of a table, and the lists of its groups. */
const OF_TABLE = `(list = $1 or list like $1 || ':%')`

/**
 * Counts the records of a kind and corrects totals that differ. Count and totals are read in one snapshot, and the
 * difference is recorded as a change, so that concurrent writes are not lost. Totals of realms and groups without
 * records are deleted.
 */
export async function correctTotals(kind: Kind, pool: pg.Pool): Promise<Correction[]> {
  return inTransaction(pool, async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `totals:${kind.table}`,
    ])
    const { rows } = await transaction.query<{ realmId: string; change: string }>(
      correctionSql(kind),
      [kind.table]
    )
    await transaction.query(`delete from record_totals where records = 0 and ${OF_TABLE}`, [
      kind.table,
    ])
    return rows.map(({ realmId, change }) => ({ realmId, by: Number(change) }))
  })
}

function correctionSql({ table, realm, columns }: Kind): string {
  const column = realm === undefined ? undefined : columnOf(realm, columns[realm]!)
  const realmId = realmKeySql(column, 'r')
  const group = groupSql(table, 'r')
  const lists = ['$1::text', ...(group === undefined ? [] : [group])]
  const rows = lists.map(
    (list) => `select ${list} as list, ${realmId} as realm_id from ${quoteName(table)} r`
  )
  return `
    with counted as (
      select list collate "C" as list, realm_id, count(*) as records
      from (${rows.join(' union all ')}) each_row group by 1, 2
    ), kept as (
      select list, realm_id, sum(records) as records
      from (
        select list, realm_id, records from record_totals where ${OF_TABLE}
        union all
        select list, realm_id, change from record_total_changes where ${OF_TABLE}
      ) all_of_it
      group by list, realm_id
    )
    insert into record_total_changes (list, realm_id, change)
    select list, realm_id, coalesce(c.records, 0) - coalesce(k.records, 0)
    from counted c full join kept k using (list, realm_id)
    where coalesce(c.records, 0) <> coalesce(k.records, 0)
    returning realm_id as "realmId", change`
}
