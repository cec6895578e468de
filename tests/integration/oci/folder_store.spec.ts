import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openImageStore } from '#oci/open_image_store'
import { imageStoreSuite } from '#tests/helpers/oci/image_store_suite'

imageStoreSuite('Images in a folder', async () => {
  const path = await mkdtemp(join(tmpdir(), 'analysis-hub-images-'))
  return {
    store: await openImageStore({ path }),
    unfinished: async () => {
      const drafts = await readdir(join(path, 'drafts'))
      return drafts.length
    },
    cleanup: () => rm(path, { recursive: true }),
  }
})
