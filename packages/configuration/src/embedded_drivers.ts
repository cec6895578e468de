import type { Env } from './variables.js'
import { requiredConcerns, surfacesOf, type Concern, type Surface } from './processes.js'

type DatabaseVariables = Pick<Env, `${Uppercase<Surface>}_DATABASE_URL` | 'DATABASE_URL'>

/** A concern that this process serves with an embedded driver instead of a dedicated server. */
export interface EmbeddedDriver {
  readonly concern: Concern
  readonly description: string
}

/** The variable that replaces an embedded driver, and the setting that requests the driver explicitly. */
export const DRIVER_SETTINGS: Readonly<Record<Concern, { replace: string; name: string }>> = {
  database: { replace: 'DATABASE_URL', name: 'DATABASE_URL=embedded' },
  bus: { replace: 'AMQP_URL', name: 'AMQP_URL=memory' },
  signals: { replace: 'REDIS_URL', name: 'REDIS_URL=memory' },
  objects: { replace: 'S3_ENDPOINT', name: 'STORAGE_PATH=<folder>' },
  logs: { replace: 'LOGSTORE_URL', name: 'LOGSTORE_URL=memory' },
  identity: { replace: 'IDENTITY_URL', name: 'IDENTITY_EMBEDDED=true' },
}

/** The embedded drivers of this process; listed at start-up. */
export function embeddedDrivers(env: Env): EmbeddedDriver[] {
  return [...requiredConcerns(env)]
    .filter((concern) => isEmbedded(concern, env))
    .map((concern) => ({
      concern,
      description: `${describe(concern, env)}; set ${DRIVER_SETTINGS[concern].replace} to use another`,
    }))
}

/** Whether a concern uses its embedded driver. */
export function isEmbedded(concern: Concern, env: Env): boolean {
  switch (concern) {
    case 'database':
      return needsEmbeddedDatabase(surfacesOf(env), env)
    case 'bus':
      return env.AMQP_URL === undefined
    case 'signals':
      return env.REDIS_URL === undefined
    case 'objects':
      return env.S3_ENDPOINT === undefined
    case 'logs':
      return !env.LOGSTORE_URL && !(env.LOGSTORE_INGESTOR_URL && env.LOGSTORE_QUERIER_URL)
    case 'identity':
      return env.IDENTITY_URL === undefined
  }
}

/** Whether a surface has no database URL, so that the embedded database must run. */
export function needsEmbeddedDatabase(
  surfaces: readonly Surface[],
  env: DatabaseVariables
): boolean {
  return surfaces.some((surface) => databaseOf(surface, env) === undefined)
}

/** The configured database URL of a surface. */
export function databaseOf(surface: Surface, env: DatabaseVariables): string | undefined {
  const own = {
    core: env.CORE_DATABASE_URL,
    storage: env.STORAGE_DATABASE_URL,
    telemetry: env.TELEMETRY_DATABASE_URL,
    messenger: env.MESSENGER_DATABASE_URL,
    identity: env.IDENTITY_DATABASE_URL,
  }
  return own[surface] ?? env.DATABASE_URL
}

function describe(concern: Concern, env: Env): string {
  switch (concern) {
    case 'database':
      return `The database is the embedded PostgreSQL in ${env.DATA_DIR}`
    case 'bus':
      return 'The message bus is in the memory of this process'
    case 'signals':
      return 'Signals and caches are in the memory of this process'
    case 'objects':
      return `Files are stored in the folder ${env.STORAGE_PATH}`
    case 'logs':
      return `Logs are stored in memory, at most ${env.LOGSTORE_MEMORY_LINES} lines`
    case 'identity':
      return 'Identities are managed by the embedded provider'
  }
}
