import { test } from '@japa/runner'

import { clock, overrideClock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { storagePool } from '#storage/database'

const operator = identity({ permissions: ['service_manage'] })

async function usage({ headers } = operator) {
  const response = await fetch(at('storage', '/usage'), { headers })
  return { status: response.status, body: (await response.json()) as any }
}

test.group('Storage in use', () => {
  test('the usage is counted once a minute, and shown to operators', async ({
    assert,
    cleanup,
  }) => {
    const bucketId = clock.uuid()
    const hour = clock.now() + 3_600_000
    cleanup(overrideClock({ now: () => hour }))
    const before = (await usage()).body.data
    await storagePool().query(`insert into buckets (id, name) values ($1, $2)`, [
      bucketId,
      `usage-${bucketId}`,
    ])
    await storagePool().query(
      `insert into bucket_files (id, name, path, hash, size, actor_type, actor_id, bucket_id)
       values ($1::uuid, 'x', 'x', 'x', 1500, 'user', $1::uuid, $1::uuid)`,
      [bucketId]
    )
    cleanup(async () => {
      await storagePool().query('delete from buckets where id = $1', [bucketId])
    })

    assert.deepEqual((await usage()).body.data, before)
    cleanup(overrideClock({ now: () => hour + 61_000 }))
    const after = (await usage()).body.data
    assert.equal(after.bytes, before.bytes + 1500)
    assert.equal(after.files, before.files + 1)
    assert.equal(after.buckets, before.buckets + 1)
  })

  test('the usage is not shown to others', async ({ assert }) => {
    assert.equal((await usage(identity({ permissions: ['bucket_update'] }))).status, 403)
  })
})
