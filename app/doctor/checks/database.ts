import type { Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { reasonOf } from '#doctor/reason'
import type { Database } from '#doctor/check_context'

const OLDEST = 150_000

interface Settings {
  readonly version: number
  readonly shown: string
  readonly fsync: string
  readonly pages: string
  readonly commit: string
  readonly connections: number
}

const SETTINGS = `select current_setting('server_version_num')::int as version, current_setting('server_version') as shown,
  current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
  current_setting('synchronous_commit') as commit,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections`

/** Checks that each database responds and stores data durably. */
export const databaseCheck: Check = {
  name: 'database',
  async run({ databases, withoutDatabase, env }) {
    const names = withoutDatabase.join(', ')
    const unaddressed =
      names === '' ? [] : [finding('DATABASE_UNREACHABLE', `${names}, without an address`)]
    const processes = env.POOL_WEB + env.POOL_JOBS
    const found = await Promise.all(
      databases.map((each) => checkDatabase(each, env.DB_POOL * processes))
    )
    return [...unaddressed, ...found.flat()]
  },
}

async function checkDatabase({ pool, name }: Database, required: number): Promise<Finding[]> {
  let settings: Settings
  try {
    const { rows } = await pool.query<Settings>(SETTINGS)
    settings = rows[0]!
  } catch (error) {
    return [finding('DATABASE_UNREACHABLE', `that of ${name}, ${reasonOf(error)}`)]
  }
  const { version, shown, fsync, pages, commit, connections } = settings
  const few = `${connections} of the server of ${name}, ${required} of a full pool`
  return [
    ...(version < OLDEST ? [finding('DATABASE_OLD', `that of ${name} is ${shown}`)] : []),
    ...(fsync === 'off' ? [finding('DATABASE_FSYNC_OFF', `that of ${name}`)] : []),
    ...(pages === 'off' ? [finding('DATABASE_PAGES_TORN', `that of ${name}`)] : []),
    ...(commit === 'off' ? [finding('DATABASE_COMMIT_EARLY', `that of ${name}`)] : []),
    ...(connections < required ? [finding('DATABASE_CONNECTIONS_FEW', few)] : []),
  ]
}
