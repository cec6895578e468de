import type pg from 'pg'

import { realmKeySql } from '#database/maintained_totals'
import { quoteName } from '#query/sql/identifiers'

/** A partition of a list's table. `realm` is the column that totals are grouped by. */
interface Partition {
  readonly list: string
  readonly partition: string
  readonly realm?: string
}

/** Subtracts a partition from the totals, in the transaction that drops or detaches it. */
export function subtractPartition(transaction: pg.ClientBase, partition: Partition): Promise<void> {
  return count(transaction, partition, '-count(*)')
}

/** Adds a table to the totals, in the transaction that attaches it as a partition. */
export function addPartition(transaction: pg.ClientBase, partition: Partition): Promise<void> {
  return count(transaction, partition, 'count(*)')
}

/** The lock blocks other writers, but not readers, until the transaction ends. */
async function count(
  transaction: pg.ClientBase,
  { list, partition, realm }: Partition,
  change: string
): Promise<void> {
  const table = quoteName(partition)
  await transaction.query(`lock table ${table} in share row exclusive mode`)
  await transaction.query(
    `insert into record_total_changes (list, realm_id, change)
     select $1, realm_id, ${change} from (select ${realmKeySql(realm, 'p')} as realm_id from ${table} p) counted
     group by realm_id`,
    [list]
  )
}
