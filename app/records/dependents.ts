import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { columnOf, quoteName } from '#query/sql/identifiers'
import { declaredKinds, type Kind } from './kind.js'
import { RecordStore } from './record_store.js'
import type { Row } from './row.js'

/** So many records are removed, and told of, at once: enough that few statements do, and little enough to hold in memory. */
const BATCH = 500

/** A kind whose records go along with those of another one, by the column that holds its id. */
export interface DependentKind {
  readonly kind: Kind
  readonly by: string
}

/** Records that went, before anything they went along with has gone. */
export interface RemovedDependents {
  readonly kind: Kind
  readonly records: readonly Row[]
}

/** What goes along with records of a kind, by itself or with something that does. */
export function dependentsOf(owner: Kind): DependentKind[] {
  return declaredKinds().flatMap((kind) =>
    Object.values(kind.relations)
      .filter(({ to, onDelete }) => onDelete === 'cascade' && to() === owner)
      .map(({ by }) => ({ kind, by }))
  )
}

/**
 * Removes what goes along with records that are about to be removed and are locked, the innermost first, some at each step. However
 * much that is, the statements and the memory it takes grow by the set, not by the record.
 */
export async function* removeDependents(
  { transaction, pool }: { transaction: pg.ClientBase; pool: DatabasePool },
  { kind: owner, ids }: { kind: Kind; ids: readonly string[] }
): AsyncGenerator<RemovedDependents> {
  for (const { kind, by } of dependentsOf(owner)) {
    const store = new RecordStore(kind, pool)
    for await (const batch of batchesOf(transaction, { kind, by }, ids)) {
      yield* removeDependents({ transaction, pool }, { kind, ids: batch })
      yield { kind, records: await store.removeAll(transaction, batch) }
    }
  }
}

/** The ids of a part's records; those of many by a cursor, since to ask again each time would look at those removed before. */
async function* batchesOf(
  transaction: pg.ClientBase,
  { kind, by }: DependentKind,
  ids: readonly string[]
): AsyncGenerator<string[]> {
  const column = quoteName(columnOf(by, kind.columns[by]!))
  const some = `select id from ${quoteName(kind.table)} where ${column} = any($1::uuid[])`
  const first = idsIn(await transaction.query(`${some} limit ${BATCH}`, [ids]))
  if (first.length < BATCH) {
    if (first.length > 0) {
      yield first
    }
    return
  }
  const cursor = quoteName(`${kind.table}_by_${by}`)
  await transaction.query(`declare ${cursor} no scroll cursor for ${some}`, [ids])
  for (;;) {
    const batch = idsIn(await transaction.query(`fetch ${BATCH} from ${cursor}`))
    if (batch.length === 0) {
      break
    }
    yield batch
  }
  await transaction.query(`close ${cursor}`)
}

const idsIn = ({ rows }: pg.QueryResult<{ id: string }>): string[] => rows.map(({ id }) => id)
