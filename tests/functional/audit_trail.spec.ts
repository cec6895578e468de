import { test } from '@japa/runner'

import { Bus } from '#bus/bus'
import { commandRouting, COMMAND_QUEUES } from '#bus/names'
import { newMessage } from '#bus/message'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { RunningJob } from '#jobs/running_job'
import { inTransaction } from '#records/transaction'
import { drain } from '#kernel/drain'
import { publishCommand } from '#outbox/publish'
import { noteGatheredRefusals } from '#tests/helpers/container'
import { at, boot } from '#tests/helpers/application'
import { emptyOutbox } from '#tests/helpers/outbox/empty_outbox'
import { eventually } from '#tests/helpers/eventually'
import { newRealm } from '#tests/functional/core/node_scene'
import { identity, REALMS } from '#tests/helpers/identities'

const SECRET = 'nobody-may-keep-this'
const AGENT = 'audit-trail-test'

const telemetry = () => pools.for(databaseUrl('telemetry'))

const administrator = identity({
  permissions: ['node_create', 'node_update', 'node_delete', 'registry_manage'],
  realmId: REALMS.master,
  realmName: 'master',
})

async function ask(method: string, path: string, body?: object, { headers } = administrator) {
  const response = await fetch(at('core', path), {
    method,
    headers: { ...headers, 'user-agent': AGENT, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return {
    status: response.status,
    body: (await response.json()) as { data: Record<'id' | 'realmId', string> },
  }
}

/** The events about a record, once there are as many as expected. */
function trailOf(refId: string, expected: number): Promise<Record<string, unknown>[]> {
  return eventually(async () => {
    const { rows } = await telemetry().query(
      'select * from events where ref_id = $1 order by created_at, id',
      [refId]
    )
    return rows.length >= expected && rows
  })
}

test.group('The audit trail', (group) => {
  let jobs: RunningJob[] = []

  group.setup(async () => {
    const app = await boot()
    const [outbox, bus] = await Promise.all([import('#start/outbox'), import('#start/bus')])
    await emptyOutbox()
    jobs = [await bus.start({ app, drain }), await outbox.start({ app, drain })]
    return async () => {
      await Promise.all(jobs.map((job) => job.stop()))
    }
  })

  test('the trail holds every change of a record, with who made it and from where', async ({
    assert,
  }) => {
    const name = `audited-${Date.now()}`
    const { body } = await ask('POST', '/nodes', { name, realmId: await newRealm() })
    const { id, realmId } = body.data
    await ask('POST', `/nodes/${id}`, { hidden: true })
    await ask('DELETE', `/nodes/${id}`)

    const [created, updated, deleted] = await trailOf(id, 3)
    assert.deepEqual(
      [created, updated, deleted].map((event) => event!.name),
      ['created', 'updated', 'deleted']
    )
    assert.containsSubset(created, {
      scope: 'entity',
      ref_type: 'node',
      realm_id: realmId,
      actor_id: administrator.actor.id,
      actor_type: administrator.actor.kind,
      request_method: 'POST',
      request_ip_address: '127.0.0.1',
      request_user_agent: AGENT,
      expiring: true,
      data: '{}',
    })
    assert.match(String(created!.request_path), /\/nodes$/)
    assert.deepEqual(JSON.parse(String(updated!.data)), {
      diff: { hidden: { next: true, previous: false } },
    })
    const days = (Number(created!.expires_at) - Number(created!.created_at)) / 86_400_000
    assert.approximately(days, 7, 0.01)
  })

  test('the trail holds no secret', async ({ assert }) => {
    const { body } = await ask('POST', '/registries', {
      name: `audited-${Date.now()}`,
      host: `registry-${Date.now()}.example.org`,
      accountName: 'robot',
      accountSecret: SECRET,
    })
    await ask('POST', `/registries/${body.data.id}`, { accountSecret: `${SECRET}-either` })
    const trail = await trailOf(body.data.id, 2)
    assert.lengthOf(trail, 2)
    assert.notInclude(JSON.stringify(trail), SECRET)
    const { rows } = await telemetry().query('select content::text from outbox')
    assert.notInclude(JSON.stringify(rows), SECRET)
  })

  test('the trail holds what was refused', async ({ assert }) => {
    const name = `audited-${Date.now()}`
    const { body } = await ask('POST', '/nodes', { name, realmId: await newRealm() })
    const stranger = identity({ permissions: [], realmId: REALMS.other, realmName: 'other' })
    const { status } = await ask('POST', `/nodes/${body.data.id}`, { hidden: true }, stranger)
    assert.equal(status, 403)
    await ask('POST', `/nodes/${body.data.id}`, { hidden: true }, stranger)
    await noteGatheredRefusals()
    const trail = await trailOf(body.data.id, 2)
    assert.deepEqual(JSON.parse(trail[1]!.data as string), {
      diff: { count: { next: 2, previous: 0 } },
    })
    assert.deepEqual(
      trail.map((event) => event.name),
      ['created', 'permissionRefused']
    )
  })

  test('the trail takes an event of another program once, however often it comes', async ({
    assert,
  }) => {
    const refId = crypto.randomUUID()
    const message = newMessage(commandRouting(COMMAND_QUEUES.telemetryEvent), 'create', {
      scope: 'builder',
      name: 'executionFinished',
      refType: 'analysis',
      refId,
      requestIpAddress: '2001:db8::1',
      requestPath: '/'.padEnd(400, 'x'),
      actorName: 'x',
      data: { diff: { buildHash: { next: 'a', previous: 'b' } }, note: 'x' },
    })
    const { container } = await boot()
    const bus = await container.make(Bus)
    await bus.publish(message, refId)
    await bus.publish(message, refId)
    const trail = await trailOf(refId, 1)
    assert.lengthOf(trail, 1)
    assert.containsSubset(trail[0], {
      scope: 'builder',
      request_ip_address: '2001:db8::1',
      request_path: '/'.padEnd(256, 'x'),
      actor_name: 'x',
      data: '{"diff":{}}',
    })
  })

  test('an event that cannot be parsed ends among the dead letters', async ({ assert }) => {
    const message = newMessage(commandRouting(COMMAND_QUEUES.telemetryEvent), 'create', {
      scope: 'nonsense',
      name: 'x',
      refType: 'node',
    })
    await inTransaction(telemetry(), (transaction) =>
      publishCommand(transaction, message, 'nonsense')
    )
    const dead = await eventually(async () => {
      const { rows } = await telemetry().query<{ reason: string }>(
        'select * from dead_letters where message_id = $1',
        [message.id]
      )
      return rows[0]
    })
    assert.match(dead.reason, /scope/)
  })
})
