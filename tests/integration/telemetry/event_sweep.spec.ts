import { test } from '@japa/runner'

import { clock, overrideClock } from '#kernel/clock'
import { runAsLeader } from '#jobs/leader_election'
import { inTransaction } from '#records/transaction'
import { telemetryPool } from '#telemetry/database'
import { appendEvents } from '#telemetry/events/event_table'
import { REPORTED_ON_BUS } from '#telemetry/events/reporter'
import { eventSweep, sweepEvents } from '#telemetry/events/event_sweep'
import { boot } from '#tests/helpers/application'

const silent = { info() {} }

const CONTENT = {
  scope: 'entity',
  name: 'created',
  refId: null,
  requestPath: null,
  requestMethod: null,
  requestIpAddress: null,
  requestUserAgent: null,
  actorType: null,
  actorId: null,
  actorName: null,
  realmId: null,
  data: null,
  reportedBy: REPORTED_ON_BUS,
} as const

const PAST = { expiring: true, expiresAt: '2026-01-01T00:00:00.000Z' }

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

/** Stores events of one kind with an expiry. */
async function events(
  count: number,
  refType: string,
  expiry: { expiring: boolean; expiresAt: string | null }
): Promise<void> {
  const createdAt = new Date().toISOString()
  for (let done = 0; done < count; done += 500) {
    const batch = Array.from({ length: Math.min(500, count - done) }, () => ({
      ...CONTENT,
      ...expiry,
      refType,
      id: clock.uuid(),
      createdAt,
    }))
    await inTransaction(telemetryPool(), (transaction) => appendEvents(transaction, batch))
  }
}

async function remaining(kind: string): Promise<number> {
  const { rows } = await telemetryPool().query(
    'select count(*)::int as count from events where ref_type = $1',
    [kind]
  )
  return rows[0].count
}

const aKind = () => `sweep-${clock.uuid().slice(0, 8)}`

test.group('Expired events', (group) => {
  group.setup(async () => void (await boot()))

  test('events go, over many batches, and nothing else does', async ({ assert }) => {
    const [gone, later, lasting, open] = [aKind(), aKind(), aKind(), aKind()]
    await events(2_500, gone, PAST)
    await events(10, later, { expiring: true, expiresAt: inMinutes(180) })
    await events(10, lasting, { expiring: false, expiresAt: inMinutes(-180) })
    await events(10, open, { expiring: true, expiresAt: null })
    const swept = await sweepEvents({ logger: silent })
    assert.isTrue(swept!.isDone)
    assert.isAtLeast(swept!.removed, 2_500)
    assert.deepEqual(
      await Promise.all([gone, later, lasting, open].map(remaining)),
      [0, 10, 10, 10]
    )
  })

  test('events wait where another process removes them', async ({ assert }) => {
    const kind = aKind()
    await events(5, kind, PAST)
    const pool = telemetryPool()
    await runAsLeader(pool, 'expired events', async () => {
      assert.isUndefined(await sweepEvents({ logger: silent }))
    })
    assert.equal(await remaining(kind), 5)
  })

  test('sweeps leave others their turn, and continue after it', async ({ assert }) => {
    const kind = aKind()
    await events(12_000, kind, PAST)
    const first = await sweepEvents({ logger: silent, turnMs: 1 })
    assert.isFalse(first!.isDone)
    assert.isAbove(await remaining(kind), 0)
    await eventSweep(silent).runTurn(new AbortController().signal)
    assert.equal(await remaining(kind), 0)
  })

  test('events stay when the process is to stop', async ({ assert }) => {
    const kind = aKind()
    await events(5, kind, PAST)
    const swept = await sweepEvents({ logger: silent, signal: AbortSignal.abort() })
    assert.deepEqual(swept, { removed: 0, isDone: false })
    assert.equal(await remaining(kind), 5)
  })

  test('that come again are not new', async ({ assert, cleanup }) => {
    const event = { ...CONTENT, refType: aKind(), realmId: clock.uuid(), data: '{"a":"\\"{},"}' }
    const ids = [clock.uuid(), clock.uuid()]
    const expiresAt = new Date(0).toISOString()
    cleanup(overrideClock({ now: () => Date.UTC(2026, 0, 1) }))
    const createdAt = new Date(clock.now()).toISOString()
    const added = await inTransaction(telemetryPool(), (transaction) =>
      appendEvents(
        transaction,
        ids.map((id) => ({ ...event, id, expiring: true, expiresAt, createdAt }))
      )
    )
    assert.sameMembers([...added], ids)
    const again = await inTransaction(telemetryPool(), (transaction) =>
      appendEvents(transaction, [
        { ...event, id: ids[0]!, expiring: true, expiresAt, createdAt },
        { ...event, id: ids[0]!, expiring: true, expiresAt, createdAt },
      ])
    )
    assert.isEmpty([...again])
    const { rows } = await telemetryPool().query('select data from events where id = $1', [ids[0]])
    assert.equal(rows[0].data, event.data)
  })
})
