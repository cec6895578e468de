import { env } from '#start/env'
import type { SurfaceName } from '#configuration/surfaces'

const OWN_ADDRESS: Record<SurfaceName, string | undefined> = {
  core: env.CORE_DATABASE_URL,
  storage: env.STORAGE_DATABASE_URL,
  telemetry: env.TELEMETRY_DATABASE_URL,
  messenger: env.MESSENGER_DATABASE_URL,
  identity: env.IDENTITY_DATABASE_URL,
}

let embeddedUrl: string | undefined

/** Sets the URL of the embedded database, once it runs and before the application boots. */
export function useEmbeddedDatabase(url: string): void {
  embeddedUrl = url
}

/** Whether a surface has no database URL, so that the embedded database must run. */
export function needsEmbeddedDatabase(surfaces: readonly SurfaceName[]): boolean {
  return env.DATABASE_URL === undefined && surfaces.some((surface) => !OWN_ADDRESS[surface])
}

/** No database is configured for a surface. */
export class DatabaseNotConfigured extends Error {
  static readonly code = 'database_unnamed'
  readonly code = DatabaseNotConfigured.code

  constructor(surface: SurfaceName) {
    super(
      `The ${surface} surface has no database: set DATABASE_URL, or start the platform, whose embedded one is then used`
    )
  }
}

/** The database URL of a surface. */
export function databaseUrl(surface: SurfaceName): string {
  const url = OWN_ADDRESS[surface] ?? env.DATABASE_URL ?? embeddedUrl
  if (!url) {
    throw new DatabaseNotConfigured(surface)
  }
  return url
}
