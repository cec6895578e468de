import { test } from '@japa/runner'

import { identityProvider } from '#core/clients/identity_provider'
import { realm } from '#identity/realms/realm'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { reactToRealmChanges } from '#storage/background'
import { bucketRemovalSweep } from '#storage/buckets/realm_removal'
import { storagePool } from '#storage/database'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { aBucket, aFile, objectsOf } from './storage_scene.js'

const running = new AbortController().signal
const logger = { error() {} } as unknown as Parameters<typeof reactToRealmChanges>[0]

async function remainingOf(realmId: unknown): Promise<number> {
  const { rowCount } = await storagePool().query('select 1 from buckets where realm_id = $1', [
    realmId,
  ])
  return rowCount!
}

async function newRealm(): Promise<string> {
  return (await sampleRecord('identity', realm)).id as string
}

async function removeRealm(id: string): Promise<void> {
  const { headers } = identity({ permissions: ['realm_delete'] })
  const { status } = await fetch(at('identity', `/realms/${id}`), { method: 'DELETE', headers })
  if (status !== 202) {
    throw new Error(`The realm was not removed: ${status}`)
  }
}

test.group('Buckets of a realm that is deleted', () => {
  test('buckets are removed with it, with their files and objects, each with its event', async ({
    assert,
    cleanup,
  }) => {
    const [realmId, other] = [await newRealm(), await newRealm()]
    const bucket = await aBucket({ realmId })
    const file = await aFile(bucket.id)
    await aBucket({ realmId })
    await aBucket({ realmId: other })
    const deleted: RecordChange[] = []
    cleanup(
      useEventSink({
        record: async (_, change) => void (change.type === 'deleted' && deleted.push(change)),
      })
    )
    const reactions = await reactToRealmChanges(logger)
    cleanup(() => reactions.stop())
    await removeRealm(realmId)
    await eventually(async () => (await remainingOf(realmId)) === 0)
    assert.equal(await remainingOf(other), 1)
    await eventually(async () => (await objectsOf(bucket.id, 'own')) === 0)
    const events = deleted.filter(({ kind }) => kind.startsWith('bucket'))
    assert.deepEqual(
      events.filter(({ id }) => [bucket.id, file.id].includes(id)).map(({ kind }) => kind),
      ['bucketFile', 'bucket']
    )
    assert.lengthOf(
      events.filter(({ kind }) => kind === 'bucket'),
      2
    )
    assert.isTrue(events.every(({ origin }) => origin.actor.name === 'system'))
  })

  test('buckets go with the next sweep where no process listened, or one died at it', async ({
    assert,
  }) => {
    await storagePool().query('delete from buckets')
    const [realmId, other] = [await newRealm(), await newRealm()]
    for (let count = 0; count < 3; count++) {
      await aBucket({ realmId })
    }
    await aBucket({ realmId: other })
    await aBucket()
    await removeRealm(realmId)
    assert.equal(await remainingOf(realmId), 3)
    const sweep = bucketRemovalSweep(await identityProvider())
    await sweep.run(running)
    assert.equal(await remainingOf(realmId), 0)
    assert.equal(await remainingOf(other), 1)
  })
})
