import { test } from '@japa/runner'

import { NodePresence } from '#core/nodes/node_presence'
import { clock, overrideClock } from '#kernel/clock'
import type { Origin } from '#kernel/origin'
import { FakePool } from '#tests/helpers/database/fake_pool'
import { identity } from '#tests/helpers/identities'

const START = Date.UTC(2026, 0, 1)
const MINUTE_MS = 60_000
const SIGHTING = /into node_sightings/
const SILENT = /where n\.online and/

let now = START

const at = (minutes: number) => new Date(START + minutes * MINUTE_MS)

const originOf = (kind: 'client' | 'user', id: string): Origin => ({
  actor: identity({ kind, id }).actor,
  requestId: clock.uuid(),
  address: '',
  userAgent: undefined,
})

/** Presence on tables of which a test gives the answers, with the changes of nodes that it causes. */
function presenceOf() {
  const changes: [id: string, isOnline: boolean][] = []
  const pool = new FakePool(async () => ({ rows: [] }))
  const nodes = {
    async setOnline(_: Origin, id: string, isOnline: boolean) {
      changes.push([id, isOnline])
    },
  }
  class Presence extends NodePresence {
    protected override async ownOrigin(): Promise<Origin> {
      return originOf('client', clock.uuid())
    }
  }
  const presence = new Presence(pool.asPool as never, nodes as never)
  const sent = (pattern: RegExp) => pool.statements.filter(({ text }) => pattern.test(text))
  return { presence, pool, changes, sent }
}

test.group('Presence of nodes with held time', (group) => {
  group.each.setup(() => {
    now = START
    return overrideClock({ now: () => now })
  })

  test('is written once a minute for each client, with the time of the request', async ({
    assert,
  }) => {
    const { presence, sent } = presenceOf()
    const [one, other] = [originOf('client', clock.uuid()), originOf('client', clock.uuid())]
    await presence.record(one)
    now += MINUTE_MS - 1
    assert.isUndefined(presence.record(one))
    await presence.record(other)
    now += 1
    await presence.record(one)
    const written = sent(SIGHTING).map(({ values: [client, seenAt] }) => [client, seenAt])
    assert.deepEqual(written, [
      [one.actor.id, at(0)],
      [other.actor.id, new Date(START + MINUTE_MS - 1)],
      [one.actor.id, at(1)],
    ])
  })

  test('requests of a client that come meanwhile wait for the one write', async ({ assert }) => {
    const { presence, pool, sent } = presenceOf()
    const written = Promise.withResolvers<{ rows: never[] }>()
    pool.answerWith(() => written.promise)
    const origin = originOf('client', clock.uuid())
    const [first, second] = [presence.record(origin), presence.record(origin)]
    assert.strictEqual(first, second)
    assert.lengthOf(sent(SIGHTING), 1)
    written.resolve({ rows: [] })
    await first
    assert.isUndefined(presence.record(origin), 'it is written, so nobody waits')
  })

  test('a node that was offline is online with the request, one that was online is left alone', async ({
    assert,
  }) => {
    const { presence, pool, changes } = presenceOf()
    const states = [
      { id: 'offline', online: false, wasSilent: true },
      { id: 'online', online: true, wasSilent: false },
    ]
    pool.answerWith(async () => ({ rows: states }))
    await presence.record(originOf('client', clock.uuid()))
    assert.deepEqual(changes, [['offline', true]])
  })

  test('a silent node that is online is read again, after the sweep that may mark it offline', async ({
    assert,
  }) => {
    const { presence, pool, changes } = presenceOf()
    for (const online of [true, false]) {
      pool.answerWith(async ({ text }) => ({
        rows: SIGHTING.test(text) ? [{ id: 'a', online: true, wasSilent: true }] : [{ online }],
      }))
      await presence.record(originOf('client', clock.uuid()))
    }
    assert.deepEqual(changes, [['a', true]], 'only where the sweep was first')
  })

  test('silence begins five minutes after the last request', async ({ assert }) => {
    const { presence, sent } = presenceOf()
    now = START + 7 * MINUTE_MS
    await presence.record(originOf('client', clock.uuid()))
    await presence.markOffline(new AbortController().signal)
    assert.deepEqual(sent(SIGHTING)[0]!.values[2], at(2))
    assert.deepEqual(sent(SILENT)[0]!.values, [at(2), null])
    assert.deepEqual(sent(/^delete from node_sightings/)[0]!.values, [at(2)])
  })

  test('silent nodes are marked offline batch by batch, until none is left', async ({ assert }) => {
    const { presence, pool, changes } = presenceOf()
    const batches = [['a', 'b'], ['c'], []]
    pool.answerWith(async ({ text }) => ({
      rows: SILENT.test(text) ? batches.shift()!.map((id) => ({ id })) : [],
    }))
    assert.equal(await presence.markOffline(new AbortController().signal), 3)
    assert.deepEqual(changes, [
      ['a', false],
      ['b', false],
      ['c', false],
    ])
  })

  test('a sweep that is to stop begins no further batch', async ({ assert }) => {
    const { presence, pool } = presenceOf()
    const stopping = new AbortController()
    pool.answerWith(async ({ text }) => {
      const rows = SILENT.test(text) ? [{ id: 'a' }] : []
      if (pool.statements.length > 1) {
        stopping.abort()
      }
      return { rows }
    })
    assert.equal(await presence.markOffline(stopping.signal), 1)
  })

  test('only clients with a well-formed id are recorded', ({ assert }) => {
    const { presence, pool } = presenceOf()
    assert.isUndefined(presence.record(originOf('user', clock.uuid())))
    assert.isUndefined(presence.record(originOf('client', 'somebody')))
    assert.isEmpty(pool.statements)
  })
})
