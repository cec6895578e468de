import { test } from '@japa/runner'

import { seedIdentity } from '#identity/embedded/seeds'
import { reactToIdentityChanges } from '#messenger/background'
import {
  change,
  make,
  makeClient,
  makeUser,
  remove,
  unique,
} from '#tests/functional/identity/provider'
import { eventually } from '#tests/helpers/eventually'
import { mailboxOf, send, somebody, type Somebody } from './messenger_scene.js'

const logger = { error() {} } as unknown as Parameters<typeof reactToIdentityChanges>[0]

/** A user of the provider. */
function known(type: 'user' | 'client', { id }: { id: string }): Somebody {
  return { ...somebody(type), party: { type, id } }
}

test.group('Mailboxes of deleted identities', (group) => {
  group.setup(async () => {
    await seedIdentity()
    const reactions = await reactToIdentityChanges(logger)
    return () => reactions.stop()
  })

  const full = async (...whose: Somebody[]) => {
    const sender = somebody()
    for (let n = 0; n < 3; n++) {
      await send(sender, whose, { data: n })
    }
  }
  const isEmpty = async (whose: Somebody) => (await mailboxOf(whose)) === undefined

  test('mailboxes go with a client that is deactivated, and with one that is deleted', async ({
    assert,
  }) => {
    const clients = await Promise.all([makeClient(), makeClient(), makeClient()])
    const [inactive, deleted, changed] = clients.map((client) => known('client', client))
    await full(inactive!, deleted!, changed!)
    await change('client', inactive!.party.id, { active: false })
    await remove('client', deleted!.party.id)
    await change('client', changed!.party.id, { displayName: unique('other') })
    await eventually(() => isEmpty(inactive!), 10_000)
    await eventually(() => isEmpty(deleted!), 10_000)
    assert.containsSubset(await mailboxOf(changed!), { messages: 3 })
  })

  test('mailboxes are removed with a deleted user, whatever else has the same id', async ({
    assert,
  }) => {
    const user = known('user', await makeUser())
    const sameId: Somebody = { ...user, party: { type: 'robot', id: user.party.id } }
    await full(user, sameId)
    await remove('user', user.party.id)
    await eventually(() => isEmpty(user), 10_000)
    assert.containsSubset(await mailboxOf(sameId), { messages: 3 })
  })

  test('mailboxes go with the realm of those who had them', async () => {
    const { id: realmId } = await make('realm', { name: unique('realm') })
    const user = known('user', await makeUser({ realmId }))
    const client = known('client', await makeClient({ realmId }))
    await full(user, client)
    await remove('realm', realmId)
    await eventually(() => isEmpty(user), 10_000)
    await eventually(() => isEmpty(client), 10_000)
  })

  test('mailboxes are created again by a later message', async ({ assert }) => {
    const user = known('user', await makeUser())
    await full(user)
    await remove('user', user.party.id)
    await eventually(() => isEmpty(user), 10_000)
    await full(user)
    assert.containsSubset(await mailboxOf(user), { messages: 3, arrivals: 3 })
  })
})
