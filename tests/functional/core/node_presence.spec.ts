import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { ClientIntents } from '#core/clients/client_intents'
import { identityProvider } from '#core/clients/identity_provider'
import { coreIntentSweep, nodeClientSweep } from '#core/clients/client_sweeps'
import { node } from '#core/nodes/node'
import { NodeService } from '#core/nodes/node_service'
import { NodePresence, presenceSweep } from '#core/nodes/node_presence'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { eventually } from '#tests/helpers/eventually'
import { withLockedRow } from '#tests/helpers/locked_row'
import { useEventSink } from '#tests/helpers/container'
import type { Origin } from '#kernel/origin'
import type { RecordChange } from '#records/events'
import { clock, overrideClock } from '#kernel/clock'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, member, newRealm, uniqueName } from './node_scene.js'

/** The first id in the order of ids. */
const FIRST_ID = '00000000-0000-4000-8000-000000000000'

const MINUTE_MS = 60_000
const pool = () => pools.for(databaseUrl('core'))
/** A process of its own, which has just started. */
const newPresence = async () => new NodePresence(pool(), await app.container.make(NodeService))

/** A process of its own that has swept for long enough for silence to count. */
async function watchingPresence(): Promise<NodePresence> {
  const presence = await newPresence()
  const end = clock.now()
  for (let at = end - 30_000; at < end; at += 10_000) {
    const release = overrideClock({ now: () => at })
    await presence.markOffline(new AbortController().signal)
    release()
  }
  return presence
}
const silent = { warn() {} }
const running = new AbortController().signal

let realmId: string
let headers: Record<string, string>

async function ofARealm() {
  realmId = await newRealm()
  headers = member(realmId, ['node_create', 'node_update', 'node_delete']).headers
}

async function created(): Promise<{ id: string; clientId: string; realmId: string }> {
  const { body } = await call('POST', '/nodes', { headers, body: { name: uniqueName() } })
  return body.data
}

const waitingFor = async (pid: number) =>
  (
    await pool().query('select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [
      pid,
    ])
  ).rowCount!

const read = async (id: string) => (await call('GET', `/nodes/${id}`, { headers })).body.data

/** Sends a request as the client of a node, or as another caller. */
const callOf = (id: string, kind: 'client' | 'user' = 'client'): Origin => ({
  actor: identity({ kind, id, realmId, realmName: 'site' }).actor,
  requestId: clock.uuid(),
  address: '127.0.0.1',
  userAgent: undefined,
})

test.group('Presence of nodes', (group) => {
  group.setup(ofARealm)

  test('L24: a node is online after a request of its client', async ({ assert }) => {
    const { id, clientId } = await created()
    assert.isFalse((await read(id)).online)
    await (await newPresence()).record(callOf(clientId))
    assert.isTrue((await read(id)).online)
  })

  test('a node is online in the response to the first request of its client', async ({
    assert,
  }) => {
    for (let round = 0; round < 5; round++) {
      const { id, clientId } = await created()
      const own = identity({ kind: 'client', id: clientId, realmId, realmName: 'site' }).headers
      const request = () => call('GET', `/nodes/${id}`, { headers: own })
      const answers = await Promise.all([request(), request(), request()])
      assert.deepEqual(
        answers.map(({ body }) => body.data.online),
        [true, true, true]
      )
    }
  })

  test('a request succeeds although the presence cannot be recorded', async ({ assert }) => {
    const { id, clientId } = await created()
    const own = identity({ kind: 'client', id: clientId, realmId, realmName: 'site' }).headers
    const locker = await pool().connect()
    try {
      await locker.query('begin')
      await locker.query('select 1 from nodes where id = $1 for update', [id])
      const { status, body } = await call('GET', `/nodes/${id}`, { headers: own })
      assert.equal(status, 200)
      assert.isFalse(body.data.online)
    } finally {
      await locker.query('rollback')
      locker.release()
    }
  })

  test('L24: a node is offline after thirty seconds without a sign of life of its client', async ({
    assert,
    cleanup,
  }) => {
    const { id, clientId } = await created()
    await (await newPresence()).record(callOf(clientId))
    const then = clock.now()
    cleanup(overrideClock({ now: () => then + 29_000 }))
    await presenceSweep(await watchingPresence()).run(running)
    assert.isTrue((await read(id)).online)
    cleanup(overrideClock({ now: () => then + 31_000 }))
    await presenceSweep(await newPresence()).run(running)
    assert.isTrue((await read(id)).online, 'A process that has just started knows of no silence')
    assert.isAbove(await presenceSweep(await watchingPresence()).run(running), 0)
    assert.isFalse((await read(id)).online)
    await (await newPresence()).record(callOf(clientId))
    assert.isTrue((await read(id)).online)
  })

  test('a node with a request before it is marked as offline stays online', async ({
    assert,
    cleanup,
  }) => {
    const { id, clientId } = await created()
    await (await newPresence()).record(callOf(clientId))
    const then = clock.now()
    cleanup(overrideClock({ now: () => then + 6 * MINUTE_MS }))
    const presence = await watchingPresence()
    const called = {
      locks: 'select 1 from nodes where id = $1 for update',
      then: `update node_sightings set seen_at = now() + interval '6 minutes'
        where client_id = (select client_id from nodes where id = $1)`,
      id,
    }
    await withLockedRow(pool(), called, () => presence.markOffline(running))
    assert.isTrue((await read(id)).online)
  })

  test('a node with a request while it is marked as offline is online again', async ({
    assert,
    cleanup,
  }) => {
    const { id, clientId } = await created()
    await (await newPresence()).record(callOf(clientId))
    const then = clock.now()
    cleanup(overrideClock({ now: () => then + 6 * MINUTE_MS }))
    const other = await pool().connect()
    cleanup(() => other.release())
    await other.query('begin')
    await other.query('update nodes set online = false where id = $1', [id])
    let isNoted = false
    const noting = (await newPresence()).record(callOf(clientId))!.then(() => (isNoted = true))
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
    await eventually(async () => isNoted || (await waitingFor(rows[0]!.pid)) > 0)
    await other.query('commit')
    await noting
    assert.isTrue((await read(id)).online)
  })

  test('a node that is seen all the time stays online and is recorded every ten seconds', async ({
    assert,
    cleanup,
  }) => {
    const { id, clientId } = await created()
    const presence = await newPresence()
    const then = clock.now()
    cleanup(overrideClock({ now: () => then }))
    await presence.recordSeen(new Map([[clientId, then]]))
    const seenAt = async () => {
      const { rows } = await pool().query(
        'select seen_at as at from node_sightings where client_id = $1',
        [clientId]
      )
      return rows[0].at.getTime() - then
    }
    for (const [seconds, noted] of [
      [5, 0],
      [12, 12],
      [21, 12],
      [24, 24],
      [36, 36],
      [48, 48],
    ] as const) {
      cleanup(overrideClock({ now: () => then + seconds * 1_000 }))
      await presence.recordSeen(new Map([[clientId, clock.now()]]))
      await presence.markOffline(running)
      assert.equal(await seenAt(), noted * 1_000)
      assert.isTrue((await read(id)).online)
    }
  })

  test('events are published for changes only', async ({ assert, cleanup }) => {
    const { id, clientId } = await created()
    const changes: RecordChange[] = []
    cleanup(useEventSink({ record: async (_, change) => void changes.push(change) }))
    for (let process = 0; process < 3; process++) {
      await (await newPresence()).record(callOf(clientId))
    }
    const then = clock.now()
    cleanup(overrideClock({ now: () => then + 6 * MINUTE_MS }))
    await (await watchingPresence()).markOffline(running)
    const ofNode = changes.filter((change) => change.id === id)
    assert.deepEqual(
      ofNode.map(({ type, next }) => [type, next!.online]),
      [
        ['updated', true],
        ['updated', false],
      ]
    )
    assert.equal(ofNode[0]!.origin.actor.id, clientId)
  })

  test('a user with the id of a client, and clients without a node, are not recorded', async ({
    assert,
  }) => {
    const { id, clientId } = await created()
    const presence = await newPresence()
    await presence.record(callOf(clientId, 'user'))
    await presence.record(callOf(clock.uuid()))
    await presence.record(callOf('not-an-id'))
    assert.isFalse((await read(id)).online)
  })
})

/** Nodes of other tests refer to clients that never existed, and so many missing clients at once stop the reconciliation. */
async function forgetMadeUpClients(): Promise<void> {
  await pool().query(
    `update nodes set client_id = null
     where not exists (select 1 from clients where id = nodes.client_id)`
  )
}

test.group('Reconciliation of nodes and clients', (group) => {
  group.setup(ofARealm)
  group.setup(forgetMadeUpClients)

  test('a node whose client is missing gets another one, with its permission', async ({
    assert,
  }) => {
    const { id, clientId } = await created()
    const provider = await identityProvider()
    await provider.clients!.remove(clientId)
    assert.isAbove(await nodeClientSweep(provider, silent).run(running), 0)
    const { clientId: next } = await read(id)
    assert.notEqual(next, clientId)
    const client = await provider.clients!.read(next)
    assert.equal(client!.name, id)
    const permissions = await provider.clients!.permissionsOf(next)
    assert.deepEqual(
      permissions.map(({ permission }) => permission.name),
      ['analysis_update']
    )
  })

  test('a node of a deleted realm does not block the others', async ({ assert }) => {
    const { id: lost } = await sampleRecord('core', node, { id: FIRST_ID })
    const { id, clientId } = await created()
    const provider = await identityProvider()
    await provider.clients!.remove(clientId)
    let warnings = 0
    await nodeClientSweep(provider, { warn: () => void warnings++ }).run(running)
    assert.notEqual((await read(id)).clientId, clientId)
    assert.isAbove(warnings, 0)
    await pool().query('delete from nodes where id = $1', [lost])
  })

  test('a node whose client exists keeps it', async ({ assert }) => {
    const { id, clientId } = await created()
    await nodeClientSweep(await identityProvider(), silent).run(running)
    assert.equal((await read(id)).clientId, clientId)
  })

  test('the client of a node that was never written is removed, other clients stay', async ({
    assert,
    cleanup,
  }) => {
    const provider = await identityProvider()
    const { clientId } = await created()
    const lost = clock.uuid()
    await new ClientIntents(pool()).write({ recordId: lost, realmId })
    const client = await provider.clients!.create({ name: lost, realmId })
    const then = clock.now()
    cleanup(overrideClock({ now: () => then + 11 * MINUTE_MS }))
    await coreIntentSweep(provider).run(running)
    assert.notExists(await provider.clients!.read(client.id))
    assert.exists(await provider.clients!.read(clientId))
    const { rows } = await pool().query('select 1 from tasks where key = $1', [lost])
    assert.isEmpty(rows)
  })
})
