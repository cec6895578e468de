import { test } from '@japa/runner'

import { RegistryUnavailable } from '#oci/errors'
import { RegistryStore } from '#oci/registry/registry_store'
import { imageStores } from '#worker/images/stores'
import { chunksOf } from '#tests/helpers/oci/images'
import { RegistryServer, send } from '#tests/helpers/core/registry/registry_server'

const REPOSITORY = 'suite/image'

test.group('A registry that is restarted', (group) => {
  let registry: RegistryServer
  let rejected: number

  group.each.timeout(60_000)
  group.each.setup(async () => {
    registry = await RegistryServer.start()
    return () => registry.stop()
  })

  /** Responds to a number of requests like a proxy without its backend. */
  const failRequests = (requests: number, method = 'GET') => {
    rejected = 0
    registry.interference = (request) => {
      const isRefused = request.method === method && rejected < requests
      if (isRefused) {
        rejected++
        send(request.response, 503)
      }
      return isRefused
    }
  }

  test('the registry is retried beyond the attempts for the configured time', async ({
    assert,
  }) => {
    const impatient = RegistryStore.open(registry.access, { attempts: 2, firstPauseMs: 1 })
    failRequests(9)
    await assert.rejects(() => impatient.manifest(REPOSITORY, 'latest'), RegistryUnavailable)
    assert.equal(rejected, 2)
    impatient.close()

    const options = { attempts: 2, firstPauseMs: 1, retryForMs: 50_000 }
    const patient = RegistryStore.open(registry.access, options)
    failRequests(9)
    assert.isUndefined(await patient.manifest(REPOSITORY, 'latest'))
    assert.equal(rejected, 9)
    failRequests(9, 'PUT')
    const { digest } = await patient.writeBlob(REPOSITORY, () => chunksOf(Buffer.alloc(10, 1)))
    assert.equal(rejected, 9)
    assert.isTrue(await patient.hasBlob(REPOSITORY, digest))
    patient.close()
  })

  test('the registry does not fail a job if it is back within a minute', async ({ assert }) => {
    const store = imageStores({ folder: '/nowhere', insecure: [] }).registry(registry.access)
    failRequests(5)
    assert.isUndefined(await store.manifest(REPOSITORY, 'latest'))
    assert.equal(rejected, 5)
    store.close()
  })
})
