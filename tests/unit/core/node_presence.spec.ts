import { test } from '@japa/runner'

import { NodePresence } from '#core/nodes/node_presence'
import { NodeReports } from '#core/nodes/node_reports'
import { clock, overrideClock } from '#kernel/clock'
import type { Origin } from '#kernel/origin'
import { FakePool } from '#tests/helpers/database/fake_pool'
import { identity } from '#tests/helpers/identities'

const START = Date.UTC(2026, 0, 1)
const AWAY_MS = 30_000
const SIGHTING = /into node_sightings/
const SILENT = /where n\.online and/

let now = START

const at = (seconds: number) => new Date(START + seconds * 1_000)

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
  const presence = new Presence(
    pool.asPool as never,
    nodes as never,
    new NodeReports(pool.asPool as never)
  )
  const sent = (pattern: RegExp) => pool.statements.filter(({ text }) => pattern.test(text))
  return { presence, pool, changes, sent }
}

/** Sweeps for as long as it takes until silence counts. Returns how many nodes the last sweep marked. */
async function watch(presence: NodePresence): Promise<number> {
  let marked = 0
  for (const end = now + AWAY_MS; now <= end; now += 10_000) {
    marked = await presence.markOffline(new AbortController().signal)
  }
  now -= 10_000
  return marked
}

test.group('Presence of nodes with stopped time', (group) => {
  group.each.setup(() => {
    now = START
    return overrideClock({ now: () => now })
  })

  test('a request is written at once where its client may look away, and not again meanwhile', async ({
    assert,
  }) => {
    const { presence, sent } = presenceOf()
    const [one, other] = [originOf('client', clock.uuid()), originOf('client', clock.uuid())]
    await presence.record(one)
    now += AWAY_MS - 1
    assert.isUndefined(presence.record(one))
    await presence.record(other)
    now += 1
    await presence.record(one)
    const written = sent(SIGHTING).map(({ values: [clients, seenAt] }) => [clients, seenAt])
    assert.deepEqual(written, [
      [[one.actor.id], [at(0)]],
      [[other.actor.id], [at(29.999)]],
      [[one.actor.id], [at(30)]],
    ])
  })

  test('clients that were seen are written together, each every ten seconds at most, with their times', async ({
    assert,
  }) => {
    const { presence, sent } = presenceOf()
    const [one, other] = [clock.uuid(), clock.uuid()].sort()
    for (let seconds = 0; seconds <= 20; seconds += 2) {
      now = START + seconds * 1_000
      await presence.recordSeen(
        new Map([[one!, now], ...(seconds < 6 ? [[other!, now] as const] : [])])
      )
    }
    const written = sent(SIGHTING).map(({ values: [clients, seenAt] }) => [clients, seenAt])
    assert.deepEqual(written, [
      [
        [one, other],
        [at(0), at(0)],
      ],
      [
        [one, other],
        [at(10), at(4)],
      ],
      [[one], [at(20)]],
    ])
  })

  test('what could not be written is written later, and no time lies in the future', async ({
    assert,
  }) => {
    const { presence, pool, sent } = presenceOf()
    const client = clock.uuid()
    pool.answerWith(async () => Promise.reject(new Error('no connection')))
    await assert.rejects(() => presence.recordSeen(new Map([[client, START + 60_000]])))
    pool.answerWith(async () => ({ rows: [] }))
    now += 2_000
    await presence.recordSeen(new Map())
    assert.deepEqual(sent(SIGHTING)[1]!.values.slice(0, 2), [[client], [at(0)]])
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

  test('a node that was offline is online with the request', async ({ assert }) => {
    const { presence, pool, changes } = presenceOf()
    pool.answerWith(async () => ({ rows: [{ id: 'offline', online: false }] }))
    await presence.record(originOf('client', clock.uuid()))
    assert.deepEqual(changes, [['offline', true]])
  })

  test('a silent node that is online is read again, after the sweep that may mark it offline', async ({
    assert,
  }) => {
    const { presence, pool, changes } = presenceOf()
    for (const online of [true, false]) {
      pool.answerWith(async ({ text }) => ({
        rows: SIGHTING.test(text) ? [{ id: 'a', online: true }] : [{ online }],
      }))
      await presence.record(originOf('client', clock.uuid()))
    }
    assert.deepEqual(changes, [['a', true]], 'only where the sweep was first')
  })

  test('silence begins thirty seconds after the last sign of life', async ({ assert }) => {
    const { presence, sent } = presenceOf()
    now = START + 70_000
    await presence.record(originOf('client', clock.uuid()))
    await watch(presence)
    assert.deepEqual(sent(SIGHTING)[0]!.values[2], at(40))
    assert.deepEqual(sent(SILENT).at(-1)!.values, [at(70), null])
    assert.deepEqual(sent(/^delete from node_sightings/).at(-1)!.values, [at(70)])
  })

  test('no node is offline while the hub could not receive calls: after its start, and after a pause', async ({
    assert,
  }) => {
    const { presence, sent } = presenceOf()
    const sweepAt = async (seconds: number) => {
      now = START + seconds * 1_000
      await presence.markOffline(new AbortController().signal)
      return sent(SILENT).length
    }
    const counts: number[] = []
    for (const seconds of [0, 10, 20, 29, 30, 60, 70, 80, 89, 90]) {
      counts.push(await sweepAt(seconds))
    }
    assert.deepEqual(counts, [0, 0, 0, 0, 1, 1, 1, 1, 1, 2])
  })

  test('silent nodes are marked offline batch by batch, until none is left', async ({ assert }) => {
    const { presence, pool, changes } = presenceOf()
    const batches = [['a', 'b'], ['c'], []]
    pool.answerWith(async ({ text }) => ({
      rows: SILENT.test(text) ? batches.shift()!.map((id) => ({ id })) : [],
    }))
    assert.equal(await watch(presence), 3)
    assert.deepEqual(changes, [
      ['a', false],
      ['b', false],
      ['c', false],
    ])
  })

  test('a sweep that is to stop begins no further batch', async ({ assert }) => {
    const { presence, pool } = presenceOf()
    await watch(presence)
    const before = pool.statements.length
    const stopping = new AbortController()
    pool.answerWith(async ({ text }) => {
      const rows = SILENT.test(text) ? [{ id: 'a' }] : []
      if (pool.statements.length > before + 1) {
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
