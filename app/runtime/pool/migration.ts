import 'reflect-metadata'

import { run } from '#runtime/run'

/** The program that a pool runs to migrate, before its processes start and before each reload. */
await run(async () => {
  const { migrateOnce } = await import('./migrate_once.js')
  return migrateOnce()
})
