import type pg from 'pg'

import type { Purpose, Sealing } from './sealing.js'

/** A column that holds sealed values. */
export interface SealedColumn {
  readonly table: string
  /** The columns by which a row is known, which an index has in this order. */
  readonly keys: readonly string[]
  readonly column: string
  readonly purpose: Purpose
  /** Where in the column the value stands, as SQL that is text; the column itself where that is not said. */
  readonly read?: string
  /** What the column becomes where `s.next` takes the place of `s.former`; `s.next` itself where that is not said. */
  readonly written?: string
}

export interface ResealResult {
  /** Sealed with the current key now, and with another one before. */
  readonly resealed: number
  /** Sealed with the current key already. */
  readonly current: number
  /** Sealed with a key that is not there. */
  readonly unreadable: number
}

interface ResealOptions {
  readonly sealing: Sealing
  /** Where nothing is to be written, what would be is counted all the same. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
  /** Told of the number of values that were looked at. */
  readonly progress?: (values: number) => void
}

interface Row {
  readonly keys: readonly unknown[]
  readonly value: string
}

const BATCH = 500

/**
 * Seals what stands in a place with the current key, a portion at a time. A value that somebody writes meanwhile stays as it
 * was written. It may end at any time, and be begun again: what was done is passed over then.
 */
export async function reseal(
  pool: pg.Pool,
  column: SealedColumn,
  { sealing, dryRun = false, signal, progress }: ResealOptions
): Promise<ResealResult> {
  const counts = { resealed: 0, current: 0, unreadable: 0 }
  let processed = 0
  for await (const rows of batches(pool, column)) {
    signal?.throwIfAborted()
    const results = Map.groupBy(rows, ({ value }) => resultOf(sealing, column.purpose, value))
    results.forEach((those, result) => (counts[result] += those.length))
    if (!dryRun) {
      await replace(pool, column, results.get('resealed') ?? [], sealing)
    }
    processed += rows.length
    progress?.(processed)
  }
  return counts
}

function resultOf(sealing: Sealing, purpose: Purpose, value: string): keyof ResealResult {
  if (sealing.isCurrent(purpose, value)) {
    return 'current'
  }
  return sealing.unseal(purpose, value) === null ? 'unreadable' : 'resealed'
}

async function* batches(pool: pg.Pool, target: SealedColumn): AsyncGenerator<readonly Row[]> {
  const { table, keys, column, read = column } = target
  const from = (after: string) =>
    `select json_build_array(${keys.join()}) as keys, ${read} as value from ${table}
     where ${read} is not null ${after} order by ${keys.join()} limit ${BATCH}`
  const nextPage = from(`and (${keys.join()}) > (${keys.map((_, at) => `$${at + 1}`).join()})`)
  let { rows } = await pool.query<Row>(from(''))
  while (rows.length > 0) {
    yield rows
    const [...last] = rows.at(-1)!.keys
    ;({ rows } = await pool.query<Row>(nextPage, last))
  }
}

/** One statement for a portion: each row that still has the value it was read with. */
async function replace(
  pool: pg.Pool,
  { table, keys, column, purpose, read = column, written = 's.next' }: SealedColumn,
  rows: readonly Row[],
  sealing: Sealing
): Promise<void> {
  const values = rows.map(({ keys: of, value }) => ({
    row: Object.fromEntries(keys.map((key, at) => [key, of[at]])),
    former: value,
    next: sealing.seal(purpose, sealing.unseal(purpose, value)!),
  }))
  await pool.query(
    `update ${table} set ${column} = ${written}
     from (select jsonb_populate_record(null::${table}, each->'row') as row, each->>'former' as former,
             each->>'next' as next from jsonb_array_elements($1::jsonb) each) s
     where ${keys.map((key) => `${table}.${key} = (s.row).${key}`).join(' and ')} and ${read} = s.former`,
    [JSON.stringify(values)]
  )
}
