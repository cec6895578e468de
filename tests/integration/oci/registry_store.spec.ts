import { openImageStore } from '#oci/open_image_store'
import { imageStoreSuite } from '#tests/helpers/image_store_suite'
import { RegistryServer } from '#tests/helpers/registry/registry_server'

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
