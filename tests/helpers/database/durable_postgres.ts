import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { EmbeddedPostgres } from '#embedded/embedded_postgres'

/** A database of this run's own that keeps what it says it kept, as in an installation: what a commit costs is in it. */
export async function durablePostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hub-durable-'))
  const postgres = await EmbeddedPostgres.start({ dataDir: join(dataDir, 'postgres') })
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
