import type pg from 'pg'

/** The batch number that marks deferred migrations as if they had run. */
const DEFERRED_BATCH = -1

interface DeferralOptions {
  readonly table: string
  /** Lists all migrations; creates the table if it does not exist. */
  list(): Promise<readonly { readonly name: string; readonly status: string }[]>
  readonly wanted: readonly string[]
}

/** The program does not know some migrations. */
export class UnknownMigrations extends Error {
  static code = 'E_UNKNOWN_MIGRATIONS'
  code = UnknownMigrations.code

  constructor(names: readonly string[]) {
    super(`This version of the program does not know ${names.join(', ')}: use a newer one`)
  }
}

/** Marks all pending migrations except the wanted ones as deferred. */
export async function deferOtherMigrations(
  pool: pg.Pool,
  { table, list, wanted }: DeferralOptions
): Promise<void> {
  await list()
  await endDeferral(pool, table)
  const all = await list()
  const known = new Set(all.map(({ name }) => name))
  const unknown = wanted.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new UnknownMigrations(unknown)
  }
  const others = all.filter(({ name, status }) => status === 'pending' && !wanted.includes(name))
  await pool.query(
    `insert into "${table}" (name, batch) select name, ${DEFERRED_BATCH} from unnest($1::text[]) name`,
    [others.map(({ name }) => name)]
  )
}

/** Makes deferred migrations pending again. */
export async function endDeferral(pool: pg.Pool, table: string): Promise<void> {
  await pool.query(`delete from "${table}" where batch = ${DEFERRED_BATCH}`)
}
