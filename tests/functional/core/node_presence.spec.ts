import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { ClientIntents } from '#core/clients/client_intents'
import { identityProvider } from '#core/clients/identity_provider'
import { coreIntentSweep, nodeClientSweep } from '#core/clients/client_sweeps'
import { node } from '#core/nodes/node'
import { NodeService } from '#core/nodes/node_service'
import { NodePresence, presenceSweep } from '#core/nodes/node_presence'
import { NodeReports } from '#core/nodes/node_reports'
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
const newPresence = async () =>
  new NodePresence(pool(), await app.container.make(NodeService), new NodeReports(pool()))

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

const presenceOf = async (id: string, query = '') =>
  (await call('GET', `/nodes/${id}/presence${query}`, { headers })).body.data

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

  test('the times in which a node was online are stored, each until its last sign of life', async ({
    assert,
    cleanup,
  }) => {
    const { id, clientId } = await created()
    const start = clock.now()
    const seenAt = async (seconds: number) => {
      cleanup(overrideClock({ now: () => start + seconds * 1_000 }))
      await (await newPresence()).recordSeen(new Map([[clientId, clock.now()]]))
    }
    const missedAt = async (seconds: number) => {
      cleanup(overrideClock({ now: () => start + seconds * 1_000 }))
      await (await watchingPresence()).markOffline(running)
    }
    const time = (seconds: number) => new Date(start + seconds * 1_000).toISOString()
    assert.deepInclude(await presenceOf(id), {
      online: false,
      since: null,
      seenAt: null,
      spans: [],
    })
    await seenAt(0)
    await seenAt(20)
    await missedAt(51)
    assert.deepInclude(await presenceOf(id), { online: false, since: time(20), seenAt: time(20) })
    await seenAt(100)
    const { spans, ...state } = await presenceOf(id)
    assert.deepEqual(spans, [
      { from: time(0), until: time(20) },
      { from: time(100), until: null },
    ])
    assert.deepInclude(state, { nodeId: id, online: true, since: time(100), seenAt: time(100) })
    cleanup(overrideClock({ now: () => start + 26 * 60 * MINUTE_MS }))
    assert.lengthOf((await presenceOf(id)).spans, 1, 'Within 24 hours')
    assert.lengthOf((await presenceOf(id, '?hours=720')).spans, 2)
    await call('DELETE', `/nodes/${id}`, { headers })
    assert.equal((await call('GET', `/nodes/${id}/presence`, { headers })).status, 404)
  })

  test('a node reports its version and clock; an older process never replaces a newer one', async ({
    assert,
  }) => {
    const { id, clientId } = await created()
    const own = identity({ kind: 'client', id: clientId, realmId, realmName: 'site' }).headers
    const report = async (version: string, startedAgo: number, ahead = 0) => {
      const now = clock.now() + ahead
      const reported = {
        'x-analysis-node-version': version,
        'x-analysis-node-started': new Date(now - startedAgo).toISOString(),
        'x-analysis-node-time': new Date(now).toISOString(),
      }
      await call('GET', `/nodes/${id}`, { headers: { ...own, ...reported } })
      return presenceOf(id)
    }
    assert.isNull((await presenceOf(id)).version)
    assert.approximately(
      Date.parse((await presenceOf(id)).secretSince),
      clock.now(),
      10 * MINUTE_MS
    )
    const first = await report('1.0.0', 10 * MINUTE_MS, 5 * MINUTE_MS)
    assert.equal(first.version, '1.0.0')
    assert.approximately(first.clockDifferenceMs, 5 * MINUTE_MS, 2_000)
    assert.equal((await report('1.1.0', MINUTE_MS)).version, '1.1.0')
    assert.equal((await report('1.0.0', 10 * MINUTE_MS)).version, '1.1.0')
    assert.equal((await report('2.0.0', -MINUTE_MS)).version, '1.1.0', 'It has not started yet')
    assert.equal((await report('<script>', 0)).version, '1.1.0')
    const elsewhere = identity({ realmId: clock.uuid(), realmName: 'elsewhere' }).headers
    const { body } = await call('GET', `/node-presence?nodeId=${id}`, { headers: elsewhere })
    assert.deepInclude(body.data[0], {
      online: true,
      version: null,
      clockDifferenceMs: null,
      secretSince: null,
    })
  })

  test('what the limits of a node do not cover is shown as its own client reports it, to its realm only', async ({
    assert,
  }) => {
    const { id, clientId } = await created()
    const report = async (client: string, unbounded: string | undefined, startedAgo: number) => {
      const own = identity({ kind: 'client', id: client, realmId, realmName: 'site' }).headers
      const now = clock.now()
      const reported = {
        'x-analysis-node-version': '1.0.0',
        'x-analysis-node-started': new Date(now - startedAgo).toISOString(),
        'x-analysis-node-time': new Date(now).toISOString(),
        ...(unbounded !== undefined && { 'x-analysis-node-unbounded': unbounded }),
      }
      await call('GET', `/nodes/${id}`, { headers: { ...own, ...reported } })
      return (await presenceOf(id)).unbounded
    }
    assert.isNull((await presenceOf(id)).unbounded)
    assert.deepEqual(await report(clientId, 'sharedMemory', 5 * MINUTE_MS), ['sharedMemory'])
    assert.deepEqual(await report(clock.uuid(), 'other', MINUTE_MS), ['sharedMemory'])
    assert.deepEqual(await report((await created()).clientId, 'other', MINUTE_MS), ['sharedMemory'])
    const elsewhere = identity({ realmId: clock.uuid(), realmName: 'elsewhere' }).headers
    const { body } = await call('GET', `/nodes/${id}/presence`, { headers: elsewhere })
    assert.isNull(body.data.unbounded)
    assert.deepEqual(await report(clientId, 'none', 4 * MINUTE_MS), [])
    assert.isNull(await report(clientId, '<b>sharedMemory</b>', 3 * MINUTE_MS))
    assert.isNull(
      await report(clientId, undefined, 2 * MINUTE_MS),
      'An earlier version does not say'
    )
  })

  test('the presence of several nodes is read at once', async ({ assert }) => {
    const [one, other] = [await created(), await created()]
    await (await newPresence()).record(callOf(one.clientId))
    const list = (ids: readonly string[]) =>
      call('GET', `/node-presence?nodeId=${ids.join()}`, { headers })
    const { body } = await list([one.id, other.id, clock.uuid()])
    const states = body.data.map(({ nodeId, online }: any) => [nodeId, online])
    assert.sameDeepMembers(states, [
      [one.id, true],
      [other.id, false],
    ])
    assert.equal((await list([])).status, 400)
    assert.equal((await list(Array.from({ length: 51 }, () => one.id))).status, 400)
    assert.equal((await call('GET', `/node-presence?nodeId=${one.id}`)).status, 401)
    for (const hours of ['0', '721', '-1', 'x', '1&hours=2']) {
      const { status } = await call('GET', `/nodes/${one.id}/presence?hours=${hours}`, { headers })
      assert.equal(status, 400, hours)
    }
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
