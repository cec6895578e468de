import { test } from '@japa/runner'

import { liveEvents } from '#console/live/live_events'
import { parseTopics } from '#console/live/topic'
import { emissionsOf } from '#outbox/payloads/emissions'
import type { ChangeContent } from '#outbox/entry'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { ConsoleVisitor } from '#tests/helpers/console/console_visitor'
import { identity, REALMS, testAuthenticator } from '#tests/helpers/identities'
import { socketSite, type SocketSite } from '#tests/helpers/realtime/sockets'
import { followed } from '#tests/helpers/telemetry/followed'

const [analysisId, otherId] = [clock.uuid(), clock.uuid()]

/** The live events of a page that shows these topics. */
function eventsFor(site: SocketSite, topics: string, token = identity().token) {
  const leaving = new AbortController()
  const events = liveEvents({
    url: site.url,
    token,
    topics: parseTopics(topics),
    signal: leaving.signal,
  })
  return { next: async () => (await events.next()).value, leave: () => leaving.abort(), events }
}

function change(site: SocketSite, kind: string, id: string, data: object, realmId: string) {
  const content = { kind, change: 'updated', id, realms: [realmId], data: { id, ...data } }
  return site.realtime.emit(emissionsOf(content as unknown as ChangeContent))
}

test.group('Console | live changes', (group) => {
  let site: SocketSite

  group.setup(async () => {
    site = await socketSite({ authenticator: testAuthenticator })
    return () => site.close()
  })

  test('a page learns which of its sections a change concerns', async ({ assert }) => {
    const topics = `analysis/${analysisId} analysisNode?analysisId=${analysisId} node`
    const { next, leave } = eventsFor(site, topics)
    assert.deepEqual(await next(), { name: 'ready', data: '{"isComplete":true}' })
    const { master } = REALMS
    await change(site, 'analysis', otherId, {}, master)
    await change(site, 'analysisNode', clock.uuid(), { analysisId: otherId }, master)
    await change(site, 'analysisNode', clock.uuid(), { analysisId }, master)
    const first = (await next()) as { name: string; data: string }
    assert.deepEqual(first, {
      name: 'change',
      data: JSON.stringify({ topics: [`analysisNode?analysisId=${analysisId}`] }),
    })
    await change(site, 'analysis', analysisId, {}, master)
    const second = (await next()) as { data: string }
    assert.deepEqual(JSON.parse(second.data), { topics: [`analysis/${analysisId}`] })
    leave()
    assert.isUndefined(await next())
  })

  test('what the user may not subscribe to is left to reading the page again', async ({
    assert,
  }) => {
    const { token } = identity({ permissions: ['node_update'] })
    const { next, leave } = eventsFor(site, 'node registry', token)
    assert.deepEqual(await next(), { name: 'ready', data: '{"isComplete":false}' })
    leave()
  })

  test('members of a realm learn of nothing in another', async ({ assert }) => {
    const { token } = identity({ realmId: REALMS.other, realmName: 'site' })
    const { next, leave } = eventsFor(site, 'node project', token)
    await next()
    await change(site, 'node', clock.uuid(), {}, REALMS.master)
    await change(site, 'project', clock.uuid(), {}, REALMS.other)
    const { data } = (await next()) as { data: string }
    assert.deepEqual(JSON.parse(data), { topics: ['project'] })
    leave()
  })

  test('a token that core does not accept, or no core, is reported as unavailable', async ({
    assert,
  }) => {
    const refused = eventsFor(site, 'node', 'no token')
    assert.equal(((await refused.next()) as { name: string }).name, 'unavailable')
    assert.isUndefined(await refused.next())
    const url = 'http://127.0.0.1:1'
    const nowhere = liveEvents({
      url,
      token: identity().token,
      topics: parseTopics('node'),
      signal: new AbortController().signal,
    })
    assert.equal(((await nowhere.next()).value as { name: string }).name, 'unavailable')
  })

  test('unknown topics are left out', ({ assert }) => {
    const texts = parseTopics(`node secret node/../x analysis/${analysisId} node`)
    assert.deepEqual(
      texts.map(({ text }) => text),
      ['node', `analysis/${analysisId}`]
    )
  })

  test('the stream of a page needs a session', async ({ assert }) => {
    const address = at('console', '/live?topics=node')
    assert.equal((await fetch(address)).status, 401)
    const stream = await followed(address, ConsoleVisitor.as().headers)
    assert.equal(stream.response.status, 200)
    assert.equal((await stream.until(1))[0]?.name, 'unavailable')
    await stream.ended
  })
})
