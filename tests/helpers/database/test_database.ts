import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { quickPostgres } from './quick_postgres.js'

/**
 * A database of this run's own, gone when the run ends. Everything in the process finds it at DATABASE_URL.
 */
export async function testDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
  const postgres = await quickPostgres(join(folder, 'postgres'))
  process.env.DATABASE_URL = postgres.url
  process.env.DATA_DIR = folder
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
