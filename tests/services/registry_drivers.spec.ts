import { test } from '@japa/runner'

import { RegistryFailure } from '#core/registries/registry_driver'
import { createRegistryDriver } from '#core/registries/create_registry_driver'
import { registryDriverSuite, desiredProject } from '#tests/helpers/core/harbor_suite'
import { startDockerRegistry } from '#tests/services/servers/docker_registry'
import { startZot, ZOT, ZOT_MISSING } from '#tests/services/servers/zot'

const REGISTRIES = [
  { name: 'docker-registry', start: startDockerRegistry, isMissing: false },
  { name: 'zot', start: startZot, isMissing: ZOT === undefined },
]

for (const { name, start, isMissing } of REGISTRIES) {
  if (!isMissing) {
    registryDriverSuite(`a real ${name}`, async () => {
      const { server, access } = await start()
      return { driver: createRegistryDriver(access), stop: () => server.stop() }
    })
  }

  test.group(`Registry driver | a real ${name}, by its account`, () => {
    test('its type is detected, and a wrong account is rejected', async ({ assert, cleanup }) => {
      const { server, access } = await start()
      cleanup(() => server.stop())
      const linked = await createRegistryDriver(access).link(desiredProject())
      assert.deepEqual(linked, { id: 'a-project', account: null, webhookId: null, isPublic: null })
      const stranger = createRegistryDriver({ ...access, accountSecret: 'another' })
      await assert.rejects(() => stranger.requireAccount(), RegistryFailure)
    }).skip(isMissing, ZOT_MISSING)
  })
}
