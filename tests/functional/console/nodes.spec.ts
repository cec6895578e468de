import { test } from '@japa/runner'

import { node } from '#core/nodes/node'
import { clock } from '#kernel/clock'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { bySecret, introspect } from '#tests/functional/identity/provider'
import { call, member, newRealm } from '#tests/functional/core/node_scene'
import { age, send, somebody } from '#tests/functional/messenger/messenger_scene'
import { ConsoleVisitor } from '#tests/helpers/console/console_visitor'
import { sampleRecord } from '#tests/helpers/sample_records'
import { set } from '#tests/functional/core/analysis_scene'

const HOUR_MS = 3_600_000

async function aNode(realmId: string, online: boolean, clientId?: string) {
  const name = `node-${clock.uuid().slice(0, 8)}`
  const { id } = await sampleRecord('core', node, {
    realmId,
    name,
    ...(clientId && { clientId }),
  })
  await set('nodes', id, { online })
  return { id: id as string, name }
}

const spanOf = (nodeId: string, from: number, until: number | null) =>
  pools
    .for(databaseUrl('core'))
    .query(
      'insert into node_presence_spans (node_id, online_since, offline_since) values ($1, $2, $3)',
      [nodeId, new Date(from), until === null ? null : new Date(until)]
    )

test.group('Nodes in the console', () => {
  test('each shows whether it is online, and its day as a line', async ({ assert }) => {
    const realmId = await newRealm()
    const away = await aNode(realmId, false)
    const now = clock.now()
    await spanOf(away.id, now - 12 * HOUR_MS, now - 6 * HOUR_MS)
    const visitor = ConsoleVisitor.as({ realmId, realmName: 'site' })
    const { text } = await visitor.open(`/nodes?name=${away.name}`)
    assert.include(text, away.name)
    assert.match(text, /badge bad">\s*Away/)
    assert.include(text, 'Online 25 % of the last 24 hours')
    assert.match(text, /<rect class="on" x="96" y="2" width="48" height="10"\/>/)
    const one = await visitor.open(`/nodes/${away.id}`)
    assert.include(one.title, away.name)
    assert.include(one.text, 'Online 25 % of the last 24 hours')
  })

  test('it says what the limits of a node do not cover, in words where there are some', async ({
    assert,
  }) => {
    const realmId = await newRealm()
    const clientId = clock.uuid()
    const { id } = await aNode(realmId, true, clientId)
    const visitor = ConsoleVisitor.as({ realmId, realmName: 'site' })
    const report = (unbounded: readonly string[]) =>
      pools.for(databaseUrl('core')).query(
        `insert into node_sightings (client_id, seen_at, unbounded) values ($1, now(), $2)
         on conflict (client_id) do update set unbounded = excluded.unbounded`,
        [clientId, unbounded]
      )
    await report([])
    assert.notInclude((await visitor.open(`/nodes/${id}`)).text, 'Not bounded')
    await report(['sharedMemory', 'ofAnotherVersion', '<b>'])
    const { text } = await visitor.open(`/nodes/${id}`)
    assert.include(text, 'Not bounded')
    assert.include(text, 'memory that the processes of an analysis share')
    assert.include(text, 'ofAnotherVersion')
    assert.include(text, '&lt;b&gt;')
  })

  test('the list is filtered by name and state', async ({ assert }) => {
    const realmId = await newRealm()
    const [online, away] = [await aNode(realmId, true), await aNode(realmId, false)]
    const visitor = ConsoleVisitor.as({ realmId, realmName: 'site' })
    const found = await visitor.open(`/nodes?name=${online.name}&state=online`)
    assert.include(found.text, `/nodes/${online.id}`)
    const none = await visitor.open(`/nodes?name=${away.name}&state=online`)
    assert.notInclude(none.text, `/nodes/${away.id}`)
    assert.equal((await visitor.open(`/nodes?name=${encodeURIComponent("o'x")}`)).status, 200)
  })

  test('members of other realms see no version, clock or secret, and no form', async ({
    assert,
  }) => {
    const { id } = await aNode(await newRealm(), true)
    const visitor = ConsoleVisitor.as({ realmId: await newRealm(), realmName: 'elsewhere' })
    const { text, status } = await visitor.open(`/nodes/${id}`)
    assert.equal(status, 200)
    assert.notInclude(text, 'Secret set')
    assert.notInclude(text, 'Replace the secret')
  })

  test('each shows how many messages wait for it and since when, and nothing if none does', async ({
    assert,
  }) => {
    const realmId = await newRealm()
    const client = somebody()
    const waited = await aNode(realmId, false, client.actor.id)
    const read = await aNode(realmId, true, clock.uuid())
    const ids = [...(await send(somebody(), [client])), ...(await send(somebody(), [client]))]
    await age([ids[0]!], '3 hours')
    const visitor = ConsoleVisitor.as({ realmId, realmName: 'site' })
    for (const path of [`/nodes?name=${waited.name}`, `/nodes/${waited.id}`]) {
      const { text } = await visitor.open(path)
      assert.match(text, /2 messages wait[^]*?the oldest sent\s+<time[^>]*>3 hr\. ago/, path)
    }
    assert.notInclude((await visitor.open(`/nodes/${read.id}`)).text, 'Mailbox')
    const stranger = ConsoleVisitor.as({ realmId: await newRealm(), realmName: 'elsewhere' })
    assert.notInclude((await stranger.open(`/nodes/${waited.id}`)).text, 'messages wait')
  })

  test('a replaced secret is shown once, and works', async ({ assert }) => {
    const realmId = await newRealm()
    const owner = member(realmId, ['node_create', 'node_update'])
    const name = `node-${clock.uuid().slice(0, 8)}`
    const { headers } = owner
    const created = await call('POST', '/nodes', { headers, body: { name, realmId } })
    const { data } = created.body
    const visitor = new ConsoleVisitor()
    visitor.become({ accessToken: owner.token })
    const page = await visitor.open(`/nodes/${data.id}`)
    assert.include(page.text, 'cannot be restored')
    assert.include(page.text, `hubctl node rotate-credentials ${data.name}`)
    const done = await visitor.submit(page, `/nodes/${data.id}/secret`, { confirm: data.name })
    assert.equal(done.status, 200)
    assert.include(done.headers.get('cache-control'), 'no-store')
    const [, secret] = /<code>([^<]+)<\/code>\s*<button[^>]*data-copy/.exec(done.text)!
    const { status, body } = await bySecret({ client_id: data.clientId, client_secret: secret! })
    assert.equal(status, 200)
    assert.isTrue((await introspect(body.access_token)).active)
  })
})
