import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
import { killedUploadSuite } from '#tests/helpers/storage/killed_upload_suite'

killedUploadSuite('a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'analysis-hub-killed-'))
  return {
    variables: { STORAGE_PATH: folder },
    store: new FsObjectStore(folder),
    stop: () => rm(folder, { recursive: true }),
  }
})
