import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openImageStore } from '#oci/open_image_store'
import { UploadJournal } from '#oci/uploads/upload_journal'
import { imageStoreSuite } from '#tests/helpers/oci/image_store_suite'
import { RegistryServer } from '#tests/helpers/core/registry/registry_server'

imageStoreSuite('Images in a registry with tokens', async () => {
  const registry = await RegistryServer.start()
  const store = await openImageStore(registry.access)
  return {
    store,
    unfinished: async () => registry.sessions.all.size,
    cleanup: async () => {
      store.close()
      await registry.stop()
    },
  }
})

imageStoreSuite('Images in a registry, whose uploads are noted', async () => {
  const registry = await RegistryServer.start()
  const folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
  const store = await openImageStore(registry.access, { journal: await UploadJournal.open(folder) })
  return {
    store,
    unfinished: async () => {
      const journal = await readdir(folder)
      return registry.sessions.all.size + journal.length
    },
    cleanup: async () => {
      store.close()
      await registry.stop()
      await rm(folder, { recursive: true })
    },
  }
})
