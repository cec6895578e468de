import { test } from '@japa/runner'

import { RegistryUnavailable } from '#oci/errors'
import { RegistryStore } from '#oci/registry/registry_store'
import { imageStores } from '#worker/images/stores'
import { piecesOf } from '#tests/helpers/oci/images'
import { RegistryServer, send } from '#tests/helpers/core/registry/registry_server'

const REPOSITORY = 'suite/image'

test.group('A registry that is restarted', (group) => {
  let registry: RegistryServer
  let refused: number

  group.each.timeout(60_000)
  group.each.setup(async () => {
    registry = await RegistryServer.start()
    return () => registry.stop()
  })

  /** Responds to a number of requests like a proxy without its backend. */
  const awayFor = (requests: number, method = 'GET') => {
    refused = 0
    registry.interference = (asked) => {
      const isRefused = asked.method === method && refused < requests
      if (isRefused) {
        refused++
        send(asked.response, 503)
      }
      return isRefused
    }
  }

  test('is retried beyond the attempts for the configured time', async ({ assert }) => {
    const impatient = RegistryStore.open(registry.access, { attempts: 2, firstPauseMs: 1 })
    awayFor(9)
    await assert.rejects(() => impatient.manifest(REPOSITORY, 'latest'), RegistryUnavailable)
    assert.equal(refused, 2)
    impatient.close()

    const options = { attempts: 2, firstPauseMs: 1, retryForMs: 50_000 }
    const patient = RegistryStore.open(registry.access, options)
    awayFor(9)
    assert.isUndefined(await patient.manifest(REPOSITORY, 'latest'))
    assert.equal(refused, 9)
    awayFor(9, 'PUT')
    const { digest } = await patient.writeBlob(REPOSITORY, () => piecesOf(Buffer.alloc(10, 1)))
    assert.equal(refused, 9)
    assert.isTrue(await patient.hasBlob(REPOSITORY, digest))
    patient.close()
  })

  test('does not fail a job if it is back within a minute', async ({ assert }) => {
    const store = imageStores({ folder: '/nowhere', insecure: [] }).registry(registry.access)
    awayFor(5)
    assert.isUndefined(await store.manifest(REPOSITORY, 'latest'))
    assert.equal(refused, 5)
    store.close()
  })
})
