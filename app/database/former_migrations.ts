import type pg from 'pg'

/** The last version with many small migrations. Its tables equal those that one migration per folder creates now. */
const LAST_FORMER_VERSION = '7d91a3bce6eda5309396bfee236c0b9db0db9205'

interface Succession {
  /** The last former migration. */
  readonly last: string
  /** The migration that creates the same tables. */
  readonly first: string
}

const succession = (folder: string, last: string): [string, Succession] => [
  `${folder}_migrations`,
  {
    last: `database/migrations/${folder}/${last}`,
    first: `database/migrations/${folder}/001_create_${folder}`,
  },
]

const SUCCESSIONS: ReadonlyMap<string, Succession> = new Map([
  succession('bus', '021_rename_to_plain_words'),
  succession('core', '126_rename_to_plain_words'),
  succession('identity', '051_rename_to_plain_words'),
  succession('messenger', '012_rename_to_plain_words'),
  succession('storage', '066_rename_to_plain_words'),
  succession('telemetry', '052_add_realm_to_events_of_actors'),
])

/** Tables, or a backup, of a version before the last one that this version can continue from. */
export class FormerTables extends Error {
  static code = 'E_FORMER_TABLES'
  code = FormerTables.code

  constructor(table: string, newest: string) {
    super(
      `The last of ${table} is ${newest}, which is too old for this version: run version ${LAST_FORMER_VERSION} ` +
        `first (git switch --detach ${LAST_FORMER_VERSION}, npm run build, node ace hub:migrate), then this one`
    )
  }
}

/**
 * Records that the tables of the last former version are those of the first migration, which then does not run. The
 * former names stay, so that the former version runs on these tables, too. Throws if they are older. Call with the lock
 * on migrations.
 */
export async function succeedFormerMigrations(pool: pg.Pool, table: string): Promise<void> {
  const succeeds = SUCCESSIONS.get(table)
  const { rows: tables } = await pool.query('select to_regclass($1) as found', [table])
  if (!succeeds || !tables[0].found) {
    return
  }
  await pool.query(
    `insert into "${table}" (name, batch) select $2::text, batch from "${table}"
     where name = $1::text and batch > 0 and not exists (select from "${table}" where name = $2::text)`,
    [succeeds.last, succeeds.first]
  )
  currentMigrations(table, await recordedMigrations(pool, table))
}

/** The names of the migrations that ran, in their order; not of deferred ones. */
export async function recordedMigrations(
  database: pg.ClientBase | pg.Pool,
  table: string
): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select name from "${table}" where batch > 0 order by id`
  )
  return rows.map(({ name }) => name)
}

/** The migrations of this version that create the tables of recorded ones. Throws if none does. */
export function currentMigrations(table: string, recorded: readonly string[]): readonly string[] {
  const succeeds = SUCCESSIONS.get(table)
  if (!succeeds || recorded.length === 0) {
    return recorded
  }
  const { first, last } = succeeds
  if (recorded.includes(first)) {
    return recorded.slice(recorded.indexOf(first))
  }
  if (recorded.includes(last)) {
    return [first]
  }
  throw new FormerTables(table, recorded.at(-1)!)
}
