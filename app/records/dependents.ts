import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { columnOf, quoteName } from '#query/sql/identifiers'
import { declaredKinds, type Kind } from './kind.js'
import { RecordStore } from './record_store.js'
import type { Row } from './row.js'

/** Records per batch: large enough for few statements, small enough to buffer in memory. */
const BATCH = 500

/** A kind whose records are deleted with those of another one, and the column with the other's id. */
interface DependentKind {
  readonly kind: Kind
  readonly by: string
}

/** Deleted records of one kind. Records that depended on them were yielded before. */
export interface RemovedDependents {
  readonly kind: Kind
  readonly records: readonly Row[]
}

/** The kinds that directly depend on a kind. */
function dependentsOf(owner: Kind): DependentKind[] {
  return declaredKinds().flatMap((kind) =>
    Object.values(kind.relations)
      .filter(({ to, onDelete }) => onDelete === 'cascade' && to() === owner)
      .map(({ by }) => ({ kind, by }))
  )
}

/**
 * Deletes the dependents of locked records that are about to be deleted, innermost first, in batches. The number of
 * statements grows with the batches, not with the records.
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

/**
 * The ids of the dependent records in batches. Large sets use a cursor: repeated queries would scan the deleted rows
 * again.
 */
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
