import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openBackupStore } from '#backup/open_backup_store'
import { env } from '#start/env'
import { backupSuite } from '#tests/helpers/backup/backup_suite'

backupSuite('a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hub-places-'))
  let locations = 0
  return {
    variables: {},
    newPlace: () => join(folder, `place-${++locations}`),
    open: (named) => openBackupStore(named, env),
    stop: () => rm(folder, { recursive: true }),
  }
})
