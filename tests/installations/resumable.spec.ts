import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
import { resumableSuite } from '#tests/helpers/storage/resumable_suite'

resumableSuite('a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'analysis-hub-resumable-'))
  return {
    variables: { STORAGE_PATH: folder },
    store: new FsObjectStore(folder),
    stop: () => rm(folder, { recursive: true }),
  }
})
