import { join, resolve } from 'node:path'

import { needsEmbeddedDatabase } from '#configuration/embedded_drivers'
import { pools } from '#database/pools'
import type { SurfaceName } from '#configuration/surfaces'
import type { Env } from '#configuration/variables'

export interface OwnDatabase {
  /** Contains the password and must not be logged. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts the embedded PostgreSQL if a surface has no other database. Its code is loaded only then. */
export async function startOwnDatabase(
  surfaces: readonly SurfaceName[],
  env: Env
): Promise<OwnDatabase | undefined> {
  if (!needsEmbeddedDatabase(surfaces, env)) {
    return undefined
  }
  const { EmbeddedPostgres } = await import('#embedded/embedded_postgres')
  const postgres = await EmbeddedPostgres.start({
    dataDir: join(resolve(env.DATA_DIR), 'postgres'),
    onNotice: (text) => console.error(text),
  })
  pools.embeddedUrl = postgres.url
  return postgres
}
