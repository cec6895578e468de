import type { Surface } from '#configuration/processes'
import { createApplication } from '#runtime/application'
import { membership } from './membership.js'
import type { Running } from '#runtime/run'
import { bringTablesUpToDate } from '#runtime/tables'

/** Migrates the databases of these surfaces and reports that to the pool, which then ends the process. */
export async function migrateOnce(surfaces: readonly Surface[]): Promise<Running> {
  const app = createApplication()
  await app.init()
  await app.boot()
  const { length } = await bringTablesUpToDate(app, surfaces)
  if (length > 0) {
    console.log(`The database was migrated: ${length} migrations ran.`)
  }
  membership()!.start({
    failing: async () => [],
    degraded: async () => [],
    metrics: async () => [],
  })
  return { stop: () => app.terminate() }
}
