import type pg from 'pg'

import { inTransaction } from '#records/transaction'
import { type FormerDatabase, type Texts } from '#adopt/former/former_database'
import type { ProgressReporter } from './progress_reporter.js'
import { isMismatch, type ValidRow } from '#adopt/rows/row_reader'
import type { Table } from './table.js'
import type { Transfer } from './transfer.js'

export interface TransferCounts {
  readonly taken: number
  readonly updated: number
}

interface TransferOptions {
  readonly former: FormerDatabase
  readonly pool: pg.Pool
  readonly signal: AbortSignal
  readonly progress: ProgressReporter
  /** The current time in the format of the source. */
  readonly now: string
}

const orderOf = ({ order = ['id'] }: Transfer): readonly string[] => order

/**
 * Transfers a table in batches and saves the position with each, so that it can resume. Returns undefined if
 * interrupted.
 */
export async function transferTable(
  table: Table,
  { former, pool, signal, progress, now }: TransferOptions
): Promise<TransferCounts | undefined> {
  const { transfer } = table
  const count = { taken: 0, updated: 0 }
  const order = orderOf(transfer)
  const portions = former.read({
    table: transfer.table,
    columns: table.readable,
    order,
    after: await readPosition(pool, transfer.table),
    where: transfer.where?.(now),
  })
  for await (const texts of readAhead(portions)) {
    if (signal.aborted) {
      return undefined
    }
    const rows = texts
      .map((row) => table.theirs.read(row))
      .filter((row): row is ValidRow => !isMismatch(row))
    const position = order.map((name) => texts.at(-1)![name]!)
    const { taken, updated } = await inTransaction(pool, async (transaction) => {
      // A crash loses the batch together with its position.
      await transaction.query('set local synchronous_commit = off')
      const written = await table.writer.write(transaction, rows)
      await savePosition(transaction, transfer.table, position)
      return written
    })
    count.taken += taken
    count.updated += updated
    progress.add(texts.length)
  }
  if (signal.aborted) {
    return undefined
  }
  await pool.query(
    `insert into adopted_tables (table_name, completed_at) values ($1, now())
     on conflict (table_name) do update set position = null, completed_at = now()`,
    [transfer.table]
  )
  return count
}

async function readPosition(pool: pg.Pool, tableName: string): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ position: string[] | null }>(
    'select position from adopted_tables where table_name = $1',
    [tableName]
  )
  return rows[0]?.position ?? undefined
}

async function savePosition(
  transaction: pg.ClientBase,
  tableName: string,
  position: readonly string[]
) {
  await transaction.query({
    name: 'save-adoption-position',
    text: `insert into adopted_tables (table_name, position) values ($1, $2)
      on conflict (table_name) do update set position = excluded.position`,
    values: [tableName, JSON.stringify(position)],
  })
}

/** Reads the next batch while the current one is written. */
async function* readAhead(
  portions: AsyncIterable<readonly Texts[]>
): AsyncGenerator<readonly Texts[], void, undefined> {
  const iterator = portions[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const { done: isDone, value } = await next
      if (isDone) {
        return
      }
      next = iterator.next()
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
    await iterator.return?.()
  }
}
