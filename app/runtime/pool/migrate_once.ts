import { createApplication } from '#runtime/application'
import { membership } from './membership.js'
import type { Running } from '#runtime/run'
import { bringTablesUpToDate } from '#runtime/tables'

/**
 * Brings the tables up to date and says so to the pool, which ends the process then.
 */
export async function migrateOnce(): Promise<Running> {
  const app = createApplication()
  await app.init()
  await app.boot()
  const { length } = await bringTablesUpToDate(app)
  if (length > 0) {
    console.log(`The tables were brought up to date: ${length} migrations were made.`)
  }
  membership!.start({
    failing: async () => [],
    degraded: async () => [],
    metrics: async () => [],
  })
  return { stop: () => app.terminate() }
}
