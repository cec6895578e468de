import { test } from '@japa/runner'

import { node } from '#core/nodes/node'
import { realmsOfClients } from '#core/nodes/realms_of_clients'
import { ServiceUnavailable } from '#kernel/failures'
import { clock } from '#kernel/clock'
import { messengerPool } from '#messenger/database'
import { fetchNodeRealms } from '#messenger/mailboxes/fetch_node_realms'
import { MailboxReader, MAX_COUNTED, WAITING } from '#messenger/mailboxes/mailbox_reader'
import type { Party } from '#messenger/mailboxes/party'
import { storeMessages } from '#messenger/messages/store_messages'
import { newRealm } from '#tests/functional/core/node_scene'
import { at } from '#tests/helpers/application'
import { handingOut } from '#tests/helpers/core/handing_out'
import { identity } from '#tests/helpers/identities'
import { newMessage, UNLIMITED } from '#tests/helpers/messenger/stored_messages'
import { sampleRecord } from '#tests/helpers/sample_records'
import {
  acknowledge,
  age,
  pull,
  request,
  send,
  somebody,
  type Somebody,
} from './messenger_scene.js'

const operator = identity({ permissions: [] })

const memberOf = (realmId: string) => identity({ realmId, realmName: 'site', permissions: [] })

/** The client of a new node. */
async function aNode(realmId: string): Promise<Somebody> {
  const client = somebody()
  await sampleRecord('core', node, { realmId, clientId: client.actor.id })
  return client
}

const read = (who: { headers: Record<string, string> }, ...clients: Somebody[]) =>
  request(who, 'GET', `/mailboxes?clientId=${clients.map(({ actor }) => actor.id).join()}`)

async function stateOf(client: Somebody) {
  const { body } = await read(operator, client)
  return body.data[0]
}

/** Stores many messages for a party at once. */
async function storeMany(count: number, party: Party): Promise<void> {
  for (let stored = 0; stored < count; stored += 500) {
    const messages = Array.from({ length: Math.min(500, count - stored) }, () =>
      newMessage([party], { data: '1' })
    )
    await storeMessages(messengerPool(), messages, UNLIMITED)
  }
}

test.group('What waits in mailboxes', () => {
  test('the figure is how many messages there are, and when the oldest was sent', async ({
    assert,
  }) => {
    const [sender, recipient, empty] = [somebody(), somebody(), somebody()]
    const [first] = await send(sender, [recipient])
    await send(sender, [recipient])
    await age([first!], '3 hours')
    const [oldest] = await pull(recipient, '?limit=1')
    const { status, body } = await read(operator, recipient, empty)
    assert.equal(status, 200)
    assert.sameDeepMembers(body.data, [
      { clientId: recipient.actor.id, messages: 2, hasMore: false, oldestAt: oldest.createdAt },
      { clientId: empty.actor.id, messages: 0, hasMore: false, oldestAt: null },
    ])
  })

  test('the figure is neither acknowledged nor expired, but may have been read', async ({
    assert,
  }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const ids: string[] = []
    for (let sent = 0; sent < 3; sent++) {
      ids.push(...(await send(sender, [recipient])))
    }
    await pull(recipient)
    assert.equal((await stateOf(recipient)).messages, 3)
    await acknowledge(recipient, [ids[0]])
    assert.equal((await stateOf(recipient)).messages, 2)
    await age([ids[1]!], '25 hours')
    const left = await stateOf(recipient)
    const [newest] = await pull(recipient)
    assert.containsSubset(left, { messages: 1, oldestAt: newest.createdAt })
    await age([ids[2]!], '25 hours')
    assert.containsSubset(await stateOf(recipient), { messages: 0, oldestAt: null })
  })

  test('the figure is not counted for users and robots of the same id', async ({ assert }) => {
    const [sender, user] = [somebody(), somebody('user')]
    await send(sender, [user])
    assert.containsSubset(await stateOf(user), { messages: 0, oldestAt: null })
  })

  test('the figure is counted up to a limit', async ({ assert }) => {
    const recipient = somebody()
    await storeMany(MAX_COUNTED, recipient.party)
    assert.containsSubset(await stateOf(recipient), { messages: MAX_COUNTED, hasMore: false })
    await storeMany(1, recipient.party)
    assert.containsSubset(await stateOf(recipient), { messages: MAX_COUNTED, hasMore: true })
  }).timeout(60_000)

  test('the figure is counted up to the same limit while expired messages are not removed', async ({
    assert,
  }) => {
    const recipient = somebody()
    const expired = await send(somebody(), [recipient])
    await age(expired, '25 hours')
    await storeMany(MAX_COUNTED, recipient.party)
    assert.containsSubset(await stateOf(recipient), { messages: MAX_COUNTED, hasMore: false })
    await storeMany(1, recipient.party)
    assert.containsSubset(await stateOf(recipient), { messages: MAX_COUNTED, hasMore: true })
  }).timeout(60_000)

  test('the figure is found by the index of recipients', async ({ assert }) => {
    const recipient = somebody()
    await storeMany(2_000, recipient.party)
    await messengerPool().query('analyze messages')
    const { rows } = await messengerPool().query(`explain ${WAITING}`, [[recipient.actor.id]])
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.lengthOf(plan.match(/messages_recipient/g) ?? [], 3, plan)
    assert.notMatch(plan, /Seq Scan on messages|Sort/)
  }).timeout(60_000)
})

test.group('Who sees what waits', () => {
  test('members of the realm of a node, and not those of others', async ({ assert }) => {
    const [own, other] = [await newRealm(), await newRealm()]
    const [ours, theirs] = [await aNode(own), await aNode(other)]
    const stranger = somebody()
    await send(somebody(), [ours, theirs, stranger])
    const { status, body } = await read(memberOf(own), ours, theirs, stranger)
    assert.equal(status, 200)
    assert.lengthOf(body.data, 1)
    assert.containsSubset(body.data[0], { clientId: ours.actor.id, messages: 1 })
    const unknown = await read(memberOf(own), somebody())
    const foreign = await read(memberOf(own), theirs)
    assert.deepEqual(foreign.body, unknown.body)
  })

  test('a client itself, and only as what it is', async ({ assert }) => {
    const elsewhere = { realmId: await newRealm(), realmName: 'site', permissions: [] }
    const client = identity({ kind: 'client', ...elsewhere })
    const asClient = await request(client, 'GET', `/mailboxes?clientId=${client.actor.id}`)
    assert.lengthOf(asClient.body.data, 1)
    // Test tokens are made of ids, so this one takes the place of the other.
    const user = identity({ kind: 'user', ...elsewhere, id: client.actor.id })
    const asUser = await request(user, 'GET', `/mailboxes?clientId=${client.actor.id}`)
    assert.lengthOf(asUser.body.data, 0)
  })

  test('no caller without a login', async ({ assert }) => {
    assert.equal((await read({ headers: {} }, somebody())).status, 401)
  })

  for (const [what, query] of [
    ['without ids', ''],
    ['with something else than ids', '?clientId=north'],
    ['with too many ids', `?clientId=${Array.from({ length: 51 }, () => clock.uuid()).join()}`],
  ] as const) {
    test(`not a request ${what}`, async ({ assert }) => {
      const { status, body } = await request(operator, 'GET', `/mailboxes${query}`)
      assert.equal(status, 400)
      assert.deepEqual(body.issues[0].path, ['clientId'])
    })
  }

  test('callers without a realm while core is absent', async ({ assert }) => {
    const realmId = await newRealm()
    const ours = await aNode(realmId)
    const reader = new MailboxReader({ find: async () => new Map() })
    assert.isEmpty(await reader.list(memberOf(realmId).actor, [ours.actor.id]))
    assert.lengthOf(await reader.list(operator.actor, [ours.actor.id]), 1)
  })
})

test.group('Realms of nodes, fetched from core', () => {
  const provider = () => handingOut(identity({ permissions: [] }).token)

  test('realms are the same over its address as in one process', async ({ assert }) => {
    const [one, two] = [await aNode(await newRealm()), await aNode(await newRealm())]
    const ids = [one.actor.id, two.actor.id, clock.uuid()]
    const fetched = await fetchNodeRealms({ url: at('core', ''), provider: provider() }, ids)
    assert.equal(fetched.size, 2)
    assert.deepEqual([...fetched].toSorted(), [...(await realmsOfClients(ids))].toSorted())
  })

  for (const [what, url] of [
    ['is away', () => 'http://127.0.0.1:9'],
    ['is something else', () => at('core', '/no-such-path')],
  ] as const) {
    test(`the realms are unknown where core ${what}`, async ({ assert }) => {
      assert.plan(2)
      try {
        await fetchNodeRealms({ url: url(), provider: provider() }, [clock.uuid()])
      } catch (error) {
        assert.instanceOf(error, ServiceUnavailable)
        assert.notInclude((error as Error).message, '127.0.0.1')
      }
    })
  }
})
