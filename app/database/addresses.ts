import type { SurfaceName } from '#configuration/surfaces'
import { databaseSettings } from './database_settings.js'
import { pools } from './pools.js'

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
  const url = databaseSettings().addresses[surface] ?? pools.embeddedUrl
  if (!url) {
    throw new DatabaseNotConfigured(surface)
  }
  return url
}
