import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { inTransaction } from '#records/transaction'
import { telemetryPool } from '#telemetry/database'
import { appendEvents } from '#telemetry/events/event_table'
import { REPORTED_ON_BUS } from '#telemetry/events/reporter'
import { storedEvent } from '#telemetry/events/stored_event'
import { at, boot } from '#tests/helpers/application'
import { followed, type StreamedEvent } from '#tests/helpers/telemetry/followed'
import { identity, REALMS, withEndingTokens } from '#tests/helpers/identities'

const OWN = clock.uuid()
const ALL = ['event_create', 'event_read', 'event_delete']

const master = identity({ permissions: ALL })
const local = identity({ permissions: ALL, realmId: OWN, realmName: 'own' })
const writer = identity({ permissions: ['event_create'] })

const received = (refId: string, more: object = {}) => ({
  scope: 'builder' as const,
  name: 'executionStarted',
  refType: 'analysis',
  refId,
  ...more,
})

async function write(refId: string, more: object = {}): Promise<any> {
  const response = await fetch(at('telemetry', '/events'), {
    method: 'POST',
    headers: { ...master.headers, 'content-type': 'application/json' },
    body: JSON.stringify(received(refId, more)),
  })
  const { data } = (await response.json()) as any
  return data
}

const openStream = (refId: string, lastEventId?: string, { headers } = master) =>
  followed(at('telemetry', `/events?filter[refId]=${refId}`), headers, lastEventId)

const names = (events: readonly StreamedEvent[]) => events.map(({ data }) => data.name)

test.group('The stream of events', (group) => {
  group.setup(async () => void (await boot()))

  test('arrive as they are stored, complete, if they match', async ({ assert }) => {
    const refId = clock.uuid()
    await write(refId, { name: 'before' })
    const stream = await openStream(refId)
    assert.equal(stream.response.status, 200)
    assert.match(stream.response.headers.get('content-type')!, /^text\/event-stream/)
    const written = await write(refId, { data: { diff: { a: { next: 1, previous: 2 } } } })
    await write(clock.uuid(), { name: 'another' })
    await write(refId, { name: 'last' })
    const events = await stream.until(2)
    assert.deepEqual(names(events), ['executionStarted', 'last'])
    assert.deepEqual(events[0]!.data, written)
    assert.equal(events[0]!.name, 'event')
    await stream.leave()
  })

  test('continue after the last one seen, also within a batch', async ({ assert }) => {
    const refId = clock.uuid()
    const first = await openStream(refId)
    const together = Array.from({ length: 5 }, (_, index) => ({
      ...storedEvent(received(refId, { name: `event-${index}`, realmId: OWN }), REPORTED_ON_BUS),
      id: clock.uuid(),
      createdAt: new Date(clock.now()).toISOString(),
    }))
    await inTransaction(telemetryPool(), (transaction) => appendEvents(transaction, together))
    const events = await first.until(5)
    assert.deepEqual(
      names(events),
      together.map(({ name }) => name)
    )
    await first.leave()
    await write(refId, { name: 'later' })
    await write(refId, { name: 'elsewhere', realmId: REALMS.other })
    for (const [index, { id }] of events.entries()) {
      const again = await openStream(refId, id)
      const expected = [...together.slice(index + 1).map(({ name }) => name), 'later', 'elsewhere']
      const rest = await again.until(expected.length)
      assert.sameMembers(names(rest), expected)
      assert.deepEqual(
        names(rest).filter((name) => name.startsWith('event-')),
        expected.filter((name) => name.startsWith('event-'))
      )
      await again.leave()
    }
  })

  test('that were stored after a stream began without one all arrive', async ({ assert }) => {
    const refId = clock.uuid()
    const first = await openStream(refId)
    const start = await first.start()
    await first.leave()
    await write(refId, { name: 'meanwhile' })
    const second = await openStream(refId, start)
    const events = await second.until(1)
    await second.leave()
    assert.deepEqual(names(events), ['meanwhile'])
    assert.isEmpty(first.events())
  })

  test('from concurrent writers during a disconnection all arrive once', async ({ assert }) => {
    const refId = clock.uuid()
    const first = await openStream(refId)
    const realms = [OWN, REALMS.other, REALMS.master]
    const some = Array.from({ length: 60 }, (_, index) => `event-${index}`)
    const writeAll = (part: readonly string[]) =>
      Promise.all(part.map((name, index) => write(refId, { name, realmId: realms[index % 3] })))
    await writeAll(some.slice(0, 20))
    const seen = await first.until(20)
    await first.leave()
    await writeAll(some.slice(20, 40))
    const second = await openStream(refId, seen.at(-1)!.id)
    await writeAll(some.slice(40))
    const rest = await second.until(40)
    await second.leave()
    assert.sameMembers([...names(seen), ...names(rest)], some)
  })

  test('streamed events are those that the follower may read', async ({ assert }) => {
    const refId = clock.uuid()
    const stream = await openStream(refId, undefined, local)
    await write(refId, { name: 'foreign', realmId: REALMS.other })
    await write(refId, { name: 'own', realmId: OWN })
    const events = await stream.until(1)
    assert.deepEqual(names(events), ['own'])
    await stream.leave()
    const all = await openStream(refId, undefined, master)
    await write(refId, { name: 'seen by all', realmId: REALMS.other })
    const [{ id } = { id: '' }] = await all.until(1)
    await all.leave()
    const again = await openStream(refId, id, local)
    await write(refId, { name: 'own again', realmId: OWN })
    assert.deepEqual(names(await again.until(1)), ['own again'])
    await again.leave()
  })

  test('arrive until the token of the reader expires, and then end normally', async ({
    assert,
  }) => {
    await withEndingTokens(async (end) => {
      const refId = clock.uuid()
      const stream = await openStream(refId)
      await write(refId)
      await stream.until(1)
      end()
      await stream.ended
      await write(refId)
      assert.lengthOf(stream.events(), 1)
    })
  })

  test('streamed events are rejected like a list, and for an impossible cursor', async ({
    assert,
  }) => {
    const stranger = await openStream(clock.uuid(), undefined, writer)
    assert.equal(stranger.response.status, 403)
    await stranger.leave()
    const lost = await openStream(clock.uuid(), 'nowhere')
    assert.equal(lost.response.status, 400)
    await lost.leave()
  })
})
