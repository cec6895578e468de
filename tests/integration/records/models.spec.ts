import { inspect } from 'node:util'

import { test } from '@japa/runner'
import { DateTime } from 'luxon'

import { Node } from '#core/nodes/node'
import { Registry } from '#core/registries/registry'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { clock, overrideClock } from '#kernel/clock'
import { lucidClientFor } from '#records/lucid_client'
import { inTransaction } from '#records/transaction'
import { boot } from '#tests/helpers/application'

const SECRET = 'Harbor12345'

const core = () => pools.for(databaseUrl('core'))
const name = () => `model-${clock.uuid().slice(0, 8)}`
const newNode = () => ({ name: name(), realmId: clock.uuid() })

const newRegistry = () => ({ name: name(), host: `${name()}.test`, accountSecret: SECRET })

test.group('Models in transactions', (group) => {
  group.setup(async () => void (await boot()))

  test('models take part in a transaction, invisible outside until it commits', async ({
    assert,
  }) => {
    const id = await inTransaction(core(), async (transaction) => {
      const client = await lucidClientFor(transaction)
      const registry = await Registry.create(newRegistry(), { client })
      const created = await Node.create({ ...newNode(), registryId: registry.id }, { client })
      const locked = await Node.query({ client })
        .where('id', created.id)
        .preload('registry')
        .forUpdate()
        .firstOrFail()
      assert.equal(locked.registry?.name, registry.name)
      locked.online = true
      await locked.save()
      assert.isNull(await Node.find(created.id))
      const { rows } = await transaction.query('select online from nodes where id = $1', [
        locked.id,
      ])
      assert.isTrue(rows[0].online)
      return created.id
    })
    assert.isTrue((await Node.findOrFail(id)).online)
  })

  test('models are rolled back with their transaction, which only its owner ends', async ({
    assert,
  }) => {
    const { name: given, realmId } = newNode()
    const work = inTransaction(core(), async (transaction) => {
      const client = await lucidClientFor(transaction)
      await Node.createMany([{ name: given, realmId }], { client })
      await client.commit()
    })
    await assert.rejects(() => work, /inTransaction ends this transaction/)
    assert.isNull(await Node.findBy('name', given))
  })

  test('models unseal secrets, and do not print them', async ({ assert }) => {
    const { id } = await Registry.create(newRegistry())
    const { rows } = await core().query('select account_secret from registries where id = $1', [id])
    assert.notInclude(rows[0].account_secret, SECRET)
    const registry = await Registry.findOrFail(id)
    assert.equal(registry.accountSecret, SECRET)
    for (const shown of [JSON.stringify(registry), inspect(registry), inspect([registry])]) {
      assert.include(shown, registry.name)
      assert.notInclude(shown, SECRET)
    }
  })

  test('set updatedAt, and serialize times like the wire format', async ({ assert, cleanup }) => {
    const node = await (await Node.create(newNode())).refresh()
    const now = node.updatedAt.toMillis() + 60_000
    cleanup(overrideClock({ now: () => now }))
    await node.merge({ online: true }).save()
    const read = await Node.findOrFail(node.id)
    assert.isTrue(DateTime.isDateTime(read.createdAt))
    assert.equal(read.updatedAt.toMillis(), now)
    assert.equal(read.serialize().updatedAt, new Date(now).toISOString())
  })
})
