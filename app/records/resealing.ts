import type pg from 'pg'

import type { Purpose, Sealing } from './sealing.js'

/** A column with sealed values. */
export interface SealedColumn {
  readonly table: string
  /** The columns that identify a row, in the order of their index. */
  readonly keys: readonly string[]
  readonly column: string
  readonly purpose: Purpose
  /** SQL text expression that reads the sealed value; the column itself by default. */
  readonly read?: string
  /** SQL expression of the new column value, where `s.next` replaces `s.former`; `s.next` by default. */
  readonly written?: string
}

export interface ResealResult {
  /** Sealed with the current key now, and with a former key before. */
  readonly resealed: number
  /** Already sealed with the current key. */
  readonly current: number
  /** Sealed with an unknown key. */
  readonly unreadable: number
}

interface ResealOptions {
  readonly sealing: Sealing
  /** Counts without writing. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
  /** Called with the number of processed values. */
  readonly progress?: (values: number) => void
}

interface Row {
  readonly keys: readonly unknown[]
  readonly value: string
}

const BATCH = 500

/**
 * Reseals the values of a column with the current key, in batches. Values that are written concurrently are left as
 * written. It may be interrupted and restarted.
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

/** Replaces a batch with one statement, but only rows that still have the value that was read. */
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
