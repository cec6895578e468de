import { randomInt } from 'node:crypto'

import { test } from '@japa/runner'
import type pg from 'pg'

import { applicationKey } from '#configuration/application_key'
import { overrideClock } from '#kernel/clock'
import { inTransaction } from '#records/transaction'
import { env } from '#start/env'
import { appendEvents } from '#telemetry/events/event_table'
import { REPORTED_ON_BUS } from '#telemetry/events/reporter'
import type { NewEvent } from '#telemetry/events/stored_event'
import { anchorSweep, anchorHeads } from '#telemetry/trail/anchor_sweep'
import { lateHeads } from '#telemetry/trail/late_heads'
import type { Finding } from '#telemetry/trail/check_batch'
import { removeEvent, removeExpired } from '#telemetry/trail/remove_events'
import { sealEvents } from '#telemetry/trail/seal_events'
import { renewSignatures } from '#telemetry/trail/renew_signatures'
import { TrailKey, trailKey } from '#telemetry/trail/trail_key'
import { verifyTrail, verifyWithin } from '#telemetry/trail/verify_trail'
import {
  eventWith,
  storeEvents,
  NotedHeads,
  REALMS,
  store,
  trailDatabase,
  within,
} from './trail_scene.js'

const DAY_MS = 86_400_000
/** The number of manipulated rows in one run. */
const ATTEMPTS = Number(process.env.TRAIL_ATTEMPTS ?? 60)
const BEGINNINGS = 30

let pool: pg.Pool
let anchor: NotedHeads
let passedMs: number

const withDatabase = async () => {
  const database = await trailDatabase()
  pool = database.pool
  return () => database.stop()
}

const withTrail = async () => {
  await pool.query('truncate events, event_chains, event_batches, event_removals')
  anchor = new NotedHeads()
  passedMs = 0
  return overrideClock({ now: () => Date.now() + passedMs })
}

const verdict = (key = trailKey()) => verifyTrail(pool, { key, anchor })
const found = async () => (await verdict()).findings.map(({ type }) => type)

const inAWeek = () => new Date(Date.now() + 7 * DAY_MS).toISOString()

/** Stores events of all realms in batches of random sizes, some of which expire. */
async function storeMany(count: number) {
  const events = Array.from({ length: count }, (_, n) =>
    eventWith({
      realmId: REALMS[n % REALMS.length]!,
      ...(n % 2 && { expiring: true, expiresAt: inAWeek() }),
    })
  )
  for (let at = 0; at < events.length;) {
    const size = randomInt(1, 12)
    await storeEvents(pool, events.slice(at, at + size))
    at += size
  }
  return events
}

test.group('The audit trail', (group) => {
  group.setup(withDatabase)
  group.each.setup(withTrail)

  test('a head that is not anchored within two minutes is a problem', async ({ assert }) => {
    await storeEvents(pool, [eventWith()])
    assert.isUndefined(await lateHeads(pool))
    await pool.query("update event_batches set sealed_at = now() - interval '10 minutes'")
    assert.match((await lateHeads(pool))!, /could not be anchored for \d+ s/)
    await anchorHeads(pool, anchor)
    assert.isUndefined(await lateHeads(pool))
  })

  test('what was sealed is found intact', async ({ assert }) => {
    await storeMany(40)

    const { intact, events, chains } = await verdict()

    assert.isTrue(intact)
    assert.equal(events, 40)
    assert.equal(chains, REALMS.length)
  })

  test('an event that arrives twice at once is sealed as stored, even if its expiry would differ', async ({
    assert,
  }) => {
    const progress: NewEvent[] = Array.from({ length: 100 }, () => ({
      ...eventWith({ expiring: true, expiresAt: inAWeek() }),
      scope: 'entity' as const,
      data: null,
      reportedBy: REPORTED_ON_BUS,
    }))
    const again = progress.map((each) => ({ ...each, expiresAt: new Date().toISOString() }))
    await inTransaction(pool, (transaction) => appendEvents(transaction, [...progress, ...again]))

    const { intact, events } = await verdict()

    assert.isTrue(intact)
    assert.equal(events, progress.length)
  })

  test('whoever adds to a chain at the same time adds to its end', async ({ assert }) => {
    await Promise.all(Array.from({ length: 8 }, () => storeMany(10)))

    assert.isTrue((await verdict()).intact)
  })

  test('whoever begins chains at the same time waits for the others, without a deadlock', async ({
    assert,
  }) => {
    for (let round = 0; round < BEGINNINGS; round++) {
      await pool.query('truncate events, event_chains, event_batches')
      const batches = Array.from({ length: 6 }, (_, n) =>
        REALMS.slice(n % REALMS.length).map((realmId) => eventWith({ realmId }))
      )
      await Promise.all(batches.map((events) => storeEvents(pool, events)))
    }

    assert.isTrue((await verdict()).intact)
  })

  test('the key of another installation did not sign it', async ({ assert }) => {
    await storeMany(3)

    const { findings } = await verdict(new TrailKey('another application key, long enough'))

    assert.deepEqual([...new Set(findings.map(({ type }) => type))], ['broken'])
  })

  test('what a former key has signed is signed anew, and counts as before', async ({ assert }) => {
    const events = await storeMany(20)
    await within(pool, 'commit', (client) => removeEvent(client, events[0]!.id))
    await anchorHeads(pool, anchor)
    const key = new TrailKey('an application key of today, long enough', applicationKey(env))
    const alone = new TrailKey('an application key of today, long enough')
    assert.isTrue((await verdict(key)).intact)
    assert.isFalse((await verdict(alone)).intact)

    const { batches, removals, heads } = await renewSignatures(pool, { key, anchor })

    assert.isAbove(batches, 0)
    assert.equal(removals, 1)
    assert.equal(heads, REALMS.length)
    const { intact, unanchored } = await verdict(alone)
    assert.isTrue(intact)
    assert.isEmpty(unanchored)
    const again = await renewSignatures(pool, { key, anchor })
    assert.deepEqual(again, { batches: 0, removals: 0, heads: 0 })
  })

  test('a change of the key does not sign what was unsigned', async ({ assert }) => {
    await storeMany(20)
    await pool.query(`update event_batches set root = repeat('0', 64) where number = 1`)
    const key = new TrailKey('an application key of today, long enough', applicationKey(env))

    await renewSignatures(pool, { key, anchor })

    const { findings } = await verdict(key)
    assert.lengthOf(
      findings.filter(({ type }) => type === 'broken'),
      2 * REALMS.length
    )
  })

  test('one changed, added or removed row is found anywhere', async ({ assert }) => {
    const events = await storeMany(60)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { id } = events[randomInt(events.length)]!
      const tampering = TAMPERINGS[attempt % TAMPERINGS.length]!
      const { findings } = await within(pool, 'rollback', async (client) => {
        await tampering.how(client, id)
        return verifyWithin(client, { key: trailKey(), anchor })
      })
      assert.include(
        findings.map((finding) => finding.type),
        tampering.found,
        tampering.what
      )
    }
    assert.isTrue((await verdict()).intact)
  }).timeout(ATTEMPTS * 500)
})

interface Tampering {
  readonly what: string
  readonly found: Finding['type']
  how(client: pg.ClientBase, id: string): Promise<unknown>
}

const changed = (what: string, change: string): Tampering => ({
  what,
  found: 'changed',
  how: (client, id) => client.query(`update events set ${change} where id = $1`, [id]),
})

const TAMPERINGS: readonly Tampering[] = [
  changed('another name', `name = 'created'`),
  changed('another actor', 'actor_id = gen_random_uuid()'),
  changed('no actor', 'actor_name = null'),
  changed('another difference', `data = '{"diff":{"name":{"next":"C","previous":"A"}}}'`),
  changed('data that cannot be read', `data = '{'`),
  changed('another time', `created_at = created_at + interval '1 millisecond'`),
  changed('another realm', 'realm_id = gen_random_uuid()'),
  changed('an expiry in the past', `expiring = not expiring, expires_at = '2020-01-01'`),
  {
    what: 'a row taken away',
    found: 'missing',
    how: (client, id) => client.query('delete from events where id = $1', [id]),
  },
  {
    what: 'a row added',
    found: 'inserted',
    how: (client, id) =>
      client.query(
        `insert into events (id, scope, name, ref_type, realm_id)
         select gen_random_uuid(), scope, name, ref_type, realm_id from events where id = $1`,
        [id]
      ),
  },
  {
    what: 'a row exchanged for another',
    found: 'inserted',
    how: (client, id) =>
      client.query('update events set id = gen_random_uuid() where id = $1', [id]),
  },
  {
    what: 'a row of a new realm',
    found: 'inserted',
    how: (client) =>
      store(client, [eventWith({ realmId: '33333333-3333-4333-8333-333333333333' })]),
  },
  {
    what: 'a batch with another leaf',
    found: 'broken',
    how: (client) =>
      client.query(
        `update event_batches set leaves = sha256(leaves) || substring(leaves from 33) where number = 1`
      ),
  },
  {
    what: 'a batch taken out of the middle with its events',
    found: 'broken',
    how: (client) => takeBatch(client, 'number = 2'),
  },
  {
    what: 'a batch that is said to be removed',
    found: 'missing',
    how: async (client) => {
      await client.query(
        `delete from events where id in (
           select encode(substring(ids for 16), 'hex')::uuid from event_batches where number = 1)`
      )
      await client.query(
        `insert into event_removals (chain, number, statement, signature)
         select chain, number, '["removal",1,"' || chain || '",1,null,"deleted","2026-01-01T00:00:00.000Z"]', signature
         from event_batches where number = 1`
      )
    },
  },
]

async function takeBatch(client: pg.ClientBase, which: string): Promise<void> {
  await client.query(
    `delete from events where id in (
       select encode(substring(ids from 16 * n + 1 for 16), 'hex')::uuid
       from event_batches, generate_series(0, size - 1) n where ${which})`
  )
  await client.query(`delete from event_batches where ${which}`)
}

test.group('The end of the audit trail', (group) => {
  group.setup(withDatabase)
  group.each.setup(withTrail)

  test('a cut is seen by what was noted elsewhere', async ({ assert }) => {
    await storeEvents(pool, [eventWith()])
    await storeEvents(pool, [eventWith()])
    await anchorHeads(pool, anchor)
    await within(pool, 'commit', (client) => takeBatch(client, 'number = 2'))
    await pool.query('update event_chains set number = 1')

    assert.deepEqual(await found(), ['cut'])
  })

  test('a chain that is missing entirely is found', async ({ assert }) => {
    await storeEvents(pool, [eventWith()])
    await anchorHeads(pool, anchor)
    await pool.query('truncate events, event_chains, event_batches')

    assert.deepEqual(await found(), ['cut'])
  })

  test('a chain that was written anew is seen', async ({ assert }) => {
    const event = eventWith()
    await storeEvents(pool, [event])
    await anchorHeads(pool, anchor)
    await pool.query('truncate events, event_chains, event_batches')
    await storeEvents(pool, [{ ...event, name: 'created' }])

    assert.deepEqual(await found(), ['broken'])
  })

  test('an unsigned head does not count', async ({ assert }) => {
    await storeEvents(pool, [eventWith()])
    await anchor.write({ chain: 'none', number: 9, digest: 'x', signature: Buffer.alloc(64) })

    const { intact, unanchored } = await verdict()

    assert.isTrue(intact)
    assert.deepEqual(unanchored, ['none'])
  })

  test('an unavailable store is retried after a minute', async ({ assert }) => {
    let calls = 0
    anchor.write = async () => {
      calls++
      throw new Error('away')
    }
    await storeEvents(pool, [eventWith()])
    const noting = anchorSweep(anchor, pool)
    const { signal } = new AbortController()
    await assert.rejects(() => noting.run(signal), 'away')
    await noting.run(signal)
    assert.equal(calls, 1)
    passedMs = 61_000
    await assert.rejects(() => noting.run(signal), 'away')
  })

  test('it is noted once', async ({ assert }) => {
    await storeMany(9)
    assert.equal(await anchorHeads(pool, anchor), REALMS.length)
    assert.equal(await anchorHeads(pool, anchor), 0)
    assert.isEmpty((await verdict()).unanchored)
  })
})

test.group('Removals from the audit trail', (group) => {
  group.setup(withDatabase)
  group.each.setup(withTrail)

  const sweep = () => within(pool, 'commit', removeExpired)

  test('events that have had their time go, and are not missed', async ({ assert }) => {
    await storeMany(30)
    passedMs = 8 * DAY_MS

    const { events } = await sweep()

    assert.equal(events, 15)
    const { intact, events: left, removed } = await verdict()
    assert.isTrue(intact)
    assert.equal(left, 15)
    assert.equal(removed, 15)
    assert.deepEqual(await sweep(), { batches: 0, events: 0 })
  })

  test('the expiry of a row alone does not remove it', async ({ assert }) => {
    await storeMany(10)
    await pool.query(`update events set expiring = true, expires_at = '2020-01-01'`)

    assert.deepEqual(await sweep(), { batches: 0, events: 0 })
  })

  test('a batch whose expiry was changed is found although its events went', async ({ assert }) => {
    await storeEvents(pool, [eventWith({ expiring: true, expiresAt: inAWeek() })])
    await pool.query(`update event_batches set expires_at = '2020-01-01'`)
    await sweep()

    assert.include(await found(), 'broken')
  })

  test('an event that was deleted is not missed, one beside it is', async ({ assert }) => {
    const [first, second] = [eventWith(), eventWith()]
    await storeEvents(pool, [first, second])
    await within(pool, 'commit', (client) => removeEvent(client, first.id))
    assert.isTrue((await verdict()).intact)

    await pool.query('delete from events where id = $1', [second.id])

    assert.deepEqual(await found(), ['missing'])
  })

  test('an event that comes back is found', async ({ assert }) => {
    const event = eventWith({ expiring: true, expiresAt: inAWeek() })
    await storeEvents(pool, [event])
    passedMs = 8 * DAY_MS
    await sweep()
    await store(pool, [event])

    assert.deepEqual(await found(), ['inserted'])
  })

  test('a transaction that is rolled back adds no batch', async ({ assert }) => {
    await within(pool, 'rollback', async (client) => {
      const event = eventWith()
      await store(client, [event])
      await sealEvents(client, [event])
    })
    await storeEvents(pool, [eventWith()])

    const { intact, batches } = await verdict()

    assert.isTrue(intact)
    assert.equal(batches, 1)
  })
})
