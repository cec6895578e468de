import 'reflect-metadata'

import { run } from '#runtime/run'

/** The program with which a pool brings the tables up to date, before its processes start and before they are replaced. */
await run(async () => {
  const { migrateOnce } = await import('./migrate_once.js')
  return migrateOnce()
})
