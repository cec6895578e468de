import cluster from 'node:cluster'
import { join, resolve } from 'node:path'

import { needsEmbeddedDatabase, useEmbeddedDatabase } from '#database/addresses'
import { SURFACE_NAMES } from '#runtime/surfaces'
import { env } from '#start/env'

/**
 * The embedded PostgreSQL of this process, where no other database is configured. Its code is loaded only then.
 */
export class OwnDatabase {
  readonly #postgres: { readonly url: string; stop(): Promise<void> }

  private constructor(postgres: { readonly url: string; stop(): Promise<void> }) {
    this.#postgres = postgres
  }

  static async startIfNeeded(): Promise<OwnDatabase | undefined> {
    const surfaces = env.SURFACES.length > 0 ? env.SURFACES : SURFACE_NAMES
    if (!cluster.isPrimary || !needsEmbeddedDatabase(surfaces)) {
      return undefined
    }
    const { EmbeddedPostgres } = await import('#database/embedded/embedded_postgres')
    const postgres = await EmbeddedPostgres.start({
      dataDir: join(resolve(env.DATA_DIR), 'postgres'),
      onNotice: (text) => console.error(text),
    })
    useEmbeddedDatabase(postgres.url)
    return new OwnDatabase(postgres)
  }

  get url(): string {
    return this.#postgres.url
  }

  stop(): Promise<void> {
    return this.#postgres.stop()
  }
}
