import { readdir } from 'node:fs/promises'

import { openImageStore } from '#oci/open_image_store'
import { imageStoreSuite } from '#tests/helpers/oci/image_store_suite'
import { startDockerRegistry } from '#tests/services/servers/docker_registry'

imageStoreSuite('Images in a docker-registry', async () => {
  const { server, access } = await startDockerRegistry()
  const store = await openImageStore(access)
  return {
    store,
    unfinished: async () => {
      const found = await readdir(server.folder, { recursive: true })
      // The registry leaves a folder behind for a cancelled session, without this file.
      return found.filter((path) => /\/_uploads\/[^/]+\/startedat$/.test(path)).length
    },
    cleanup: async () => {
      store.close()
      await server.stop()
    },
  }
})
