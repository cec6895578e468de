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
    `insert into adoptions (list, through_at) values ($1, now())
     on conflict (list) do update set place = null, through_at = now()`,
    [transfer.table]
  )
  return count
}

async function readPosition(pool: pg.Pool, list: string): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ place: string[] | null }>(
    'select place from adoptions where list = $1',
    [list]
  )
  return rows[0]?.place ?? undefined
}

async function savePosition(transaction: pg.ClientBase, list: string, position: readonly string[]) {
  await transaction.query({
    name: 'keep-adoption-place',
    text: `insert into adoptions (list, place) values ($1, $2)
      on conflict (list) do update set place = excluded.place`,
    values: [list, JSON.stringify(position)],
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
