/**
 * How fast the relay empties an outbox into RabbitMQ: changes of 1 KiB that were written before, each of them audited and told
 * as a domain event. `BENCH_CHANGES` says how many, `BENCH_DESTINATIONS` which ways they go.
 */
import { hrtime } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const CHANGES = Number(process.env.BENCH_CHANGES ?? 30_000)
const DESTINATIONS = (process.env.BENCH_DESTINATIONS ?? 'audit,bus').split(',')
const RECORDS = 1_000
const CHANGE_BYTES = 1_024
const WANTED_PER_SECOND = 5_000

testEnvironment()
const database = await testDatabase()
const rabbitmq = await startRabbitmq()
try {
  const perSecond = await measured()
  console.log(
    `${Math.round(perSecond)} changes of ${CHANGE_BYTES} bytes per second to ${DESTINATIONS.join(' and ')}`
  )
  process.exitCode = perSecond >= WANTED_PER_SECOND ? 0 : 1
} finally {
  await rabbitmq.stop()
  await database.stop()
}

async function measured(): Promise<number> {
  const { AmqpBus } = await import('#bus/amqp/amqp_bus')
  const { createDestinations } = await import('#outbox/destinations')
  const { Relay } = await import('#outbox/relay')
  const silent = { info() {}, warn: console.error, error: console.error }
  const bus = await AmqpBus.open(rabbitmq.url, silent)
  const signals = { isReady: true, publish: async () => {} }
  const chosen = createDestinations({ bus, signals, realtime: undefined }).filter(({ name }) =>
    DESTINATIONS.includes(name)
  )
  const pool = await filledOutbox()
  const relay = new Relay({
    url: database.url,
    name: 'bench',
    destinations: chosen,
    logger: silent,
  })
  while (!bus.isReady) {
    await delay(10)
  }
  const startedAt = hrtime.bigint()
  relay.start()
  await untilEmpty(pool)
  const seconds = Number(hrtime.bigint() - startedAt) / 1e9
  await relay.stop()
  await bus.close()
  await pool.end()
  return CHANGES / seconds
}

async function filledOutbox(): Promise<pg.Pool> {
  const { boot } = await import('#tests/helpers/application')
  const { DESTINATIONS: bits } = await import('#outbox/entry')
  await boot()
  const pending = DESTINATIONS.reduce((all, name) => all | bits[name as keyof typeof bits], 0)
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const content = JSON.stringify({ change: changeOf(CHANGE_BYTES) })
  await pool.query(
    `insert into outbox (message_id, pending, ordered_by, content)
     select lpad(n::text, 21, '0'), $3, 'node/' || n % $2::int, $4::json from generate_series(1, $1::int) n`,
    [CHANGES, RECORDS, pending, content]
  )
  await pool.query('analyze outbox')
  return pool
}

function changeOf(bytes: number) {
  const id = 'bbbbbbbb-0000-4000-8000-000000000001'
  const change = {
    kind: 'node',
    change: 'updated',
    id,
    realmId: id,
    realms: [id],
    data: { id, name: 'a node', publicKey: '' },
    diff: { name: { next: 'a node', previous: 'another' } },
    doer: { actor: { type: 'user', id, name: 'somebody' }, address: '192.0.2.1', method: 'POST' },
  }
  const missing = bytes - JSON.stringify({ change }).length
  return { ...change, data: { ...change.data, publicKey: 'k'.repeat(missing) } }
}

async function untilEmpty(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('select exists (select 1 from outbox) as filled')
    if (!rows[0].filled) {
      return
    }
    await delay(20)
  }
}
