import { test } from '@japa/runner'
import pg from 'pg'

import { metrics } from '#observability/metrics'
import type { Destination } from '#outbox/destination'
import { DESTINATIONS, type DestinationName } from '#outbox/entry'
import { endSessions } from '#tests/helpers/database/database_sessions'
import { randomPause, realTime } from '#tests/helpers/real_time'
import { Chaos, OutboxScene, seeded, until } from './outbox_scene.js'

const ALL: DestinationName[] = ['audit', 'bus', 'pubsub', 'sockets']

const ascending = (positions: readonly number[]) => positions.toSorted((one, other) => one - other)

test.group('Relay of the outbox', () => {
  test(
    'brings every entry to every destination, in order per record, whatever fails (seed {$self})'
  )
    .with([1, 2, 3])
    .run(async ({ assert, cleanup }, seed) => {
      const scene = await OutboxScene.open()
      cleanup(() => scene.close())
      const destinations = ALL.map((name, index) => {
        const random = seeded(seed * 100 + index)
        return new Chaos(name, { refused: 0.003, unconfirmed: 0.003, slowMs: 5, random })
      })
      scene.relay(destinations)
      for (let burst = 0; burst < 5; burst++) {
        await scene.changes(400)
        await until('some of them have arrived', () =>
          destinations.every(({ positions }) => positions.length > burst * 400)
        )
      }
      await scene.untilEmpty()
      for (const { name, positions, lastByRecord } of destinations) {
        assert.lengthOf(new Set(positions), 2_000, name)
        for (const [record, last] of lastByRecord) {
          assert.deepEqual(last, ascending(last), `${name} of ${record}`)
        }
      }
    })
    .timeout(60_000)

  test('nothing is sent twice where nothing fails', async ({ assert, cleanup }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const destinations = ALL.map((name) => new Chaos(name, { slowMs: 2 }))
    scene.relay(destinations)
    await scene.changes(3_000)
    await scene.untilEmpty()
    for (const { positions } of destinations) {
      assert.lengthOf(positions, 3_000)
    }
  })

  test('an unavailable destination does not delay the others, and gets everything once it is available', async ({
    assert,
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const destinations = ALL.map((name) => new Chaos(name))
    const away = destinations[1]!
    away.isReady = false
    const relay = scene.relay(destinations)
    for (let burst = 0; burst < 10; burst++) {
      await scene.changes(600)
      relay.notify()
    }
    const others = destinations.filter((each) => each !== away)
    await until('the others have all', () =>
      others.every(({ positions }) => positions.length === 6_000)
    )
    assert.isEmpty(away.positions)
    await until('their marks are kept', async () => {
      const { rows } = await scene.pool.query('select distinct pending from outbox')
      return rows.length === 1 && rows[0].pending === 2
    })
    assert.lengthOf(scene.warnings, 1)

    away.isReady = true
    await scene.changes(500)
    relay.notify()
    await scene.untilEmpty()
    away.lastByRecord.forEach((last) => assert.deepEqual(last, ascending(last)))
    assert.lengthOf(new Set(away.positions), 6_500)
    for (const { positions } of others) {
      assert.lengthOf(positions, 6_500)
    }
  })

  test('nothing is lost while destinations come and go (seed {$self})')
    .with([1, 2, 3])
    .run(async ({ assert, cleanup }, seed) => {
      const scene = await OutboxScene.open()
      cleanup(() => scene.close())
      const random = seeded(seed)
      const destinations = ALL.map((name) => new Chaos(name, { slowMs: 3, random }))
      const relay = scene.relay(destinations)
      for (let burst = 0; burst < 40; burst++) {
        destinations.forEach((each) => (each.isReady = random() < 0.6))
        await scene.changes(100)
        relay.notify()
        await randomPause(150, random)
      }
      destinations.forEach((each) => (each.isReady = true))
      await scene.untilEmpty(10_000)
      for (const { name, positions, lastByRecord } of destinations) {
        assert.lengthOf(new Set(positions), 4_000, name)
        lastByRecord.forEach((last) => assert.deepEqual(last, ascending(last), name))
      }
    })
    .timeout(60_000)

  test('an entry whose other destination was withdrawn meanwhile is deleted', async ({
    assert,
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const sent: number[] = []
    const { promise: confirmation, resolve: confirm } = Promise.withResolvers<void>()
    const audit: Destination = {
      name: 'audit',
      isReady: true,
      deliver: ({ position }) => {
        sent.push(position)
        return confirmation
      },
    }
    const pubsub = new Chaos('pubsub')
    pubsub.isReady = false
    scene.relay([audit, pubsub])
    await scene.changes(10)
    await until('they are on their way', () => sent.length === 10)
    await scene.pool.query('update outbox set pending = $1', [DESTINATIONS.audit])
    confirm()
    await scene.untilEmpty()
    assert.isEmpty(pubsub.positions)
  })

  test('a queue without consumers delays nothing else', async ({ assert, cleanup }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const queues = new Chaos('commands')
    const audit = new Chaos('audit')
    queues.unattended.add('nobodys')
    const relay = scene.relay([queues, audit])
    await scene.commands('nobodys', 5_000)
    await scene.commands('somebodys', 3_000)
    await scene.changes(3_000)
    await until('all else is through', async () => (await scene.depth()) === 5_000)
    assert.lengthOf(queues.positions, 3_000)
    assert.lengthOf(audit.positions, 3_000)

    await scene.commands('somebodys', 1)
    relay.notify()
    await until('that is through as well', () => queues.positions.length === 3_001, 1_000)
  })

  test('entries that become visible late are not missed, and precede those that depend on them', async ({
    assert,
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const audit = new Chaos('audit')
    const relay = scene.relay([audit])
    const late = await scene.pool.connect()
    cleanup(() => late.release())
    await late.query('begin')
    await scene.changes(1, 1, late)
    await scene.changes(2_000)
    await until('what is kept is through', () => audit.positions.length === 2_000)
    for (let later = 2_001; later <= 2_003; later++) {
      await scene.changes(1)
      relay.notify()
      await until('what comes later is through', () => audit.positions.length === later)
    }
    assert.notInclude(audit.positions, 1, 'nothing is published that may be rolled back')

    await late.query('commit')
    await scene.changes(1, 1)
    relay.notify()
    await scene.untilEmpty()
    assert.deepEqual(audit.positions.slice(-2), [1, 2_005])
  })

  test('the first entry ever is published, however long nothing was written before it', async ({
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    scene.relay(ALL.map((name) => new Chaos(name)))
    await realTime(3_000, 'the database measures how long nothing was written')
    await scene.changes(1)
    await scene.untilEmpty(5_000)
  })

  test('rolled back entries are never published', async ({ assert, cleanup }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const audit = new Chaos('audit')
    scene.relay([audit])
    const client = await scene.pool.connect()
    await client.query('begin')
    await scene.changes(5, 1, client)
    await client.query('rollback')
    client.release()
    await scene.changes(1)
    await scene.untilEmpty()
    assert.lengthOf(audit.positions, 1)
  })

  test('one relay leads, and another takes over when it dies', async ({ assert, cleanup }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const seen = [new Chaos('audit'), new Chaos('audit')] as const
    const relays = seen.map((audit) => scene.relay([audit]))
    await until('one leads', () => relays.some(({ isLeading }) => isLeading))
    await scene.changes(100)
    await scene.untilEmpty()
    const leader = relays.findIndex(({ isLeading }) => isLeading)
    assert.deepEqual(
      seen.map(({ positions }) => positions.length).toSorted((one, other) => one - other),
      [0, 100]
    )

    await scene.pool.query(
      `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and granted
         and datname = current_database() and application_name = 'analysis-hub outbox'`
    )
    await until('another leads', () => relays[1 - leader]!.isLeading, 2_000)
    await scene.changes(100)
    await scene.untilEmpty()
    assert.equal(seen[0].positions.length + seen[1].positions.length, 200)
  })

  test('the relay resumes after an outage of the database', async ({ assert, cleanup }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const audit = new Chaos('audit', { slowMs: 3 })
    scene.relay([audit])
    for (let round = 0; round < 3; round++) {
      const before = audit.positions.length
      await scene.changes(500)
      await until('some of them have arrived', () => audit.positions.length > before)
      await endSessions(scene.pool, 'analysis-hub outbox')
    }
    await scene.untilEmpty()
    assert.lengthOf(new Set(audit.positions), 1_500)
    const ids = new Map(audit.arrived.map(({ position, messageId }) => [position, messageId]))
    assert.isTrue(
      audit.arrived.every(({ position, messageId }) => ids.get(position) === messageId),
      'what is sent again has the same id'
    )
  })

  test('the relay waits for deliveries in flight when it stops, and leaves the rest', async ({
    assert,
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const audit = new Chaos('audit', { slowMs: 300 })
    const relay = scene.relay([audit])
    await scene.changes(5_000)
    await until('it has begun', () => audit.positions.length > 0)
    await relay.stop()
    const arrived = audit.positions.length
    assert.isBelow(arrived, 5_000)
    assert.equal(await scene.depth(), 5_000 - arrived)
  })

  test('the relay shows how much waits and for how long, while it leads', async ({
    assert,
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const audit = new Chaos('audit')
    audit.isReady = false
    const relay = scene.relay([audit])
    await scene.changes(7)
    await scene.pool.query(`update outbox set written_at = now() - interval '1 minute'`)
    await until('it leads', () => relay.isLeading)
    const shown = await metrics.metrics()
    assert.match(shown, /outbox_depth\{database="test"\} 7\n/)
    assert.match(shown, /outbox_lag_seconds\{database="test"\} 6\d\./)
    await relay.stop()
    assert.notMatch(await metrics.metrics(), /outbox_depth\{database="test"\}/)
  })

  test('the relay needs about one statement for each batch', async ({ assert, cleanup }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    let statements = 0
    const query = pg.Client.prototype.query
    cleanup(() => void (pg.Client.prototype.query = query))
    await scene.changes(10_000)
    const audit = new Chaos('audit')
    pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
      const text = (given[0] as { text?: string }).text ?? ''
      statements += text.includes('outbox') ? 1 : 0
      return Reflect.apply(query, this, given)
    } as typeof query
    const relay = scene.relay([audit])
    await until('all is through', () => audit.positions.length === 10_000)
    await relay.stop()
    assert.isAtMost(statements, 10_000 / 500 + 10)
  })
})
