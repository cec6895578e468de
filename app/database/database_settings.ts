import app from '@adonisjs/core/services/app'

import type { SurfaceName } from '#configuration/surfaces'

/** Where the databases are: `config/databases.ts`. */
export interface DatabaseSettings {
  /** The most connections to each database. */
  readonly poolSize: number
  /** The configured address of each surface; those without one use the embedded database. */
  readonly addresses: Readonly<Record<SurfaceName, string | undefined>>
}

export const databaseSettings = (): DatabaseSettings => app.config.get('databases')
