import 'reflect-metadata'

import { surfacesOf } from '#configuration/processes'
import { run } from '#runtime/run'

/** The program that a pool runs to migrate, before its processes start and before each reload. */
await run(async () => {
  const [{ env }, { migrateOnce }] = await Promise.all([
    import('#start/env'),
    import('#runtime/pool/migrate_once'),
  ])
  return migrateOnce(surfacesOf(env))
})
