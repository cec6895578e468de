import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { SecurityAudit } from '#audit/security_audit'
import type { SecurityEvent } from '#audit/security_event'
import { AmqpDeadLetters } from '#bus/amqp/amqp_dead_letters'
import { storeDeadLetter } from '#bus/memory/memory_dead_letters'
import { newMessage, serializeMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { surfacesOf } from '#configuration/processes'
import { Administration } from '#core/administration/administration'
import { InstallationStatus } from '#core/administration/installation_status'
import { corePool } from '#core/database'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { runAsLeader } from '#jobs/leader_election'
import { clock } from '#kernel/clock'
import { settleDeadLetters } from '#outbox/settle_dead_letters'
import { inTransaction } from '#records/transaction'
import { telemetryPool } from '#telemetry/database'
import { appendEvents } from '#telemetry/events/event_table'
import { at, boot } from '#tests/helpers/application'
import { useSecuritySink } from '#tests/helpers/container'
import { identity, REALMS } from '#tests/helpers/identities'
import { env } from '#start/env'

import { reported, Scene } from './analysis_scene.js'

const QUEUE = COMMAND_QUEUES.analysisMetadata
const DAY_S = 86_400

const operator = identity({
  permissions: ['service_manage'],
  realmId: REALMS.master,
  realmName: 'master',
})
const elsewhere = identity({
  permissions: ['service_manage'],
  realmId: REALMS.other,
  realmName: 'other',
})
const colleague = identity({ permissions: [], realmId: REALMS.master, realmName: 'master' })

const EXPIRED = {
  scope: 'entity',
  name: 'created',
  refType: 'node',
  requestPath: null,
  requestMethod: null,
  requestIpAddress: null,
  requestUserAgent: null,
  actorType: null,
  actorId: null,
  actorName: null,
  realmId: null,
  data: null,
  reportedBy: null,
  expiring: true,
  createdAt: '2020-01-01T00:00:00.000Z',
  expiresAt: '2020-01-01T00:00:00.000Z',
} as const

async function request(method: string, path: string, { headers } = operator) {
  const response = await fetch(at('core', path), { method, headers })
  return { status: response.status, body: (await response.json()) as any }
}

/** Creates a dead letter as the consumer of its queue does. */
async function deadMessage() {
  const message = newMessage(commandRouting(QUEUE), 'execute', { secret: 'of-a-message' })
  const subscription = { queue: QUEUE, prefetch: 1, database: corePool() }
  await storeDeadLetter(subscription, serializeMessage(message), {
    reason: 'there is no such thing',
    attempts: 8,
  })
  const { body } = await request('GET', '/admin/bus/dead')
  const letter = body.data.find(({ messageId }: any) => messageId === message.id)
  return { message, letter }
}

async function waitingIn(queue: string, messageId: string): Promise<number> {
  const { rowCount } = await corePool().query(
    'select from outbox where queue = $1 and message_id = $2',
    [queue, messageId]
  )
  return rowCount ?? 0
}

test.group('Dead letters over HTTP', (group) => {
  group.setup(async () => void (await boot()))

  test('they are listed with their reasons, without their content', async ({ assert }) => {
    const { message, letter } = await deadMessage()
    const { status, body } = await request('GET', '/admin/bus/dead')

    assert.equal(status, 200)
    assert.equal(body.meta.total, body.data.length)
    assert.containsSubset(letter, {
      queue: QUEUE,
      messageId: message.id,
      type: 'execute',
      reason: 'there is no such thing',
      attempts: 8,
    })
    assert.notInclude(JSON.stringify(body), 'of-a-message')
  })

  test('a redriven message is handled again and is no longer a dead letter', async ({ assert }) => {
    const { message, letter } = await deadMessage()
    const { status, body } = await request('POST', `/admin/bus/dead/${letter.id}/redrive`)
    const again = await request('POST', `/admin/bus/dead/${letter.id}/redrive`)

    assert.equal(status, 202)
    assert.deepEqual(body, { data: letter, meta: {} })
    assert.equal(await waitingIn(QUEUE, message.id), 1)
    assert.equal(again.status, 404)
    assert.equal(again.body.code, 'entity_not_found')
  })

  test('a dropped message is not handled again', async ({ assert }) => {
    const { message, letter } = await deadMessage()
    const { status, body } = await request('DELETE', `/admin/bus/dead/${letter.id}`)
    const again = await request('DELETE', `/admin/bus/dead/${letter.id}`)

    assert.equal(status, 202)
    assert.deepEqual(body, { data: letter, meta: {} })
    assert.equal(await waitingIn(QUEUE, message.id), 0)
    assert.equal(again.status, 404)
  })

  test('an invalid id is not found', async ({ assert }) => {
    const { status } = await request('DELETE', '/admin/bus/dead/none')

    assert.equal(status, 404)
  })

  test('they require the permission of operators', async ({ assert }) => {
    const ofAnotherRealm = await request('GET', '/admin/bus/dead', elsewhere)
    const withoutPermission = await request('GET', '/admin/bus/dead', colleague)

    assert.equal(ofAnotherRealm.status, 403)
    assert.equal(withoutPermission.status, 403)
    assert.equal(withoutPermission.body.issues[0].code, 'permission_not_found')
  })
})

test.group('Dead letters in the audit trail', (group) => {
  let recorded: SecurityEvent[] = []
  group.setup(async () => void (await boot()))
  group.each.setup(() => {
    recorded = []
    return useSecuritySink({ record: async (event) => void recorded.push(event) })
  })

  for (const [method, path, type] of [
    ['POST', '/redrive', 'deadLetterRedriven'],
    ['DELETE', '', 'deadLetterDropped'],
  ] as const) {
    test(`${type} names who, the queue and the message, and not its content`, async ({
      assert,
    }) => {
      const { message, letter } = await deadMessage()
      await request(method, `/admin/bus/dead/${letter.id}${path}`)

      assert.lengthOf(recorded, 1)
      assert.containSubset(recorded[0], {
        type,
        subject: 'deadLetter',
        realmId: REALMS.master,
        facts: { queue: QUEUE, letter: letter.id, message: message.id },
        origin: { actor: { id: operator.actor.id } },
      })
      assert.notInclude(JSON.stringify(recorded[0]!.facts), 'of-a-message')
    })
  }

  test('nothing is done if that cannot be recorded', async ({ assert, cleanup }) => {
    const { letter } = await deadMessage()
    cleanup(useSecuritySink({ record: () => Promise.reject(new Error('full')) }))
    const { status } = await request('DELETE', `/admin/bus/dead/${letter.id}`)
    const { body } = await request('GET', '/admin/bus/dead')

    assert.equal(status, 500)
    assert.deepInclude(body.data, letter)
  })

  test('what was not done after all is recorded as well', async ({ assert }) => {
    const { letter } = await deadMessage()
    const audit = await app.container.make(SecurityAudit)
    const origin = { actor: operator.actor, requestId: '', address: '', userAgent: undefined }
    const settlement = { action: 'drop', queue: QUEUE, chosen: { id: letter.id } } as const
    const away = { redrive: () => broken(), drop: () => broken() }
    await assert.rejects(
      () => settleDeadLetters({ letters: away, audit }, origin, settlement),
      'the broker is away'
    )
    const gone = { redrive: async () => 0, drop: async () => 0 }
    await settleDeadLetters({ letters: gone, audit }, origin, settlement)

    assert.deepEqual(
      recorded.map(({ type }) => type),
      ['deadLetterDropped', 'deadLetterUntouched', 'deadLetterDropped', 'deadLetterUntouched']
    )
  })
})

const broken = () => Promise.reject(new Error('the broker is away'))

test.group('How a request arrives, over HTTP', (group) => {
  group.setup(async () => void (await boot()))

  test('it shows the peer, and that no proxy forwarded the request', async ({ assert }) => {
    const { status, body } = await request('GET', '/admin/request')

    assert.equal(status, 200)
    assert.match(body.data.peer, /127\.0\.0\.1$|^::1$/)
    assert.isAbove(body.data.port, 0)
    assert.isFalse(body.data.isForwarded)
  })

  test('it requires the permission of operators', async ({ assert }) => {
    assert.equal((await request('GET', '/admin/request', elsewhere)).status, 403)
    assert.equal((await request('GET', '/admin/request', colleague)).status, 403)
  })
})

test.group('Sweeps over HTTP', (group) => {
  group.setup(async () => void (await boot()))

  test('expired events are removed immediately and counted', async ({ assert }) => {
    const refId = clock.uuid()
    await inTransaction(telemetryPool(), (transaction) =>
      appendEvents(transaction, [{ ...EXPIRED, id: clock.uuid(), refId }])
    )
    const { status, body } = await request('POST', '/admin/sweeps/events')
    const { rowCount } = await telemetryPool().query('select from events where ref_id = $1', [
      refId,
    ])

    assert.equal(status, 202)
    assert.isAtLeast(body.data.removed, 1)
    assert.equal(rowCount, 0)
  })

  test('unreferenced objects are searched', async ({ assert }) => {
    const { status, body } = await request('POST', '/admin/sweeps/objects')

    assert.equal(status, 202)
    assert.isNumber(body.data.removed)
  })

  test('unknown sweeps and those with a short schedule are not found', async ({ assert }) => {
    const unknown = await request('POST', '/admin/sweeps/dust')
    const byItself = await request('POST', '/admin/sweeps/inbox')

    assert.equal(unknown.status, 404)
    assert.equal(byItself.status, 404)
  })
})

test.group('The status of an installation', (group) => {
  group.setup(async () => void (await boot()))

  test('it shows services, queues, outboxes, sweeps and expiring credentials', async ({
    assert,
  }) => {
    const { letter } = await deadMessage()
    const { status, body } = await request('GET', '/admin/status')
    const { surfaces, queues, outbox, sweeps, credentials } = body.data
    await request('DELETE', `/admin/bus/dead/${letter.id}`)

    assert.equal(status, 200)
    assert.isTrue(surfaces.every(({ isReady }: any) => isReady))
    assert.isAtLeast(queues.find(({ name }: any) => name === QUEUE).dead, 1)
    assert.includeMembers(
      queues.map(({ name }: any) => name),
      [COMMAND_QUEUES.analysisBuilder, COMMAND_QUEUES.telemetryEvent]
    )
    assert.isAtLeast(outbox[0].depth, 1)
    assert.isAbove(outbox[0].lagSeconds, 0)
    assert.includeMembers(
      sweeps.map(({ name }: any) => name),
      ['events', 'objects', 'inbox']
    )
    const keys = credentials.filter(({ type }: any) => type === 'signingKey')
    assert.isTrue(keys.every(({ expiresAt }: any) => Date.parse(expiresAt) > Date.now()))
  })

  test('a sweep that a process runs is shown as running', async ({ assert }) => {
    const pool = pools.for(databaseUrl(surfacesOf(env)[0]!))
    const meanwhile = await runAsLeader(pool, 'sweep:objects', () =>
      request('GET', '/admin/status')
    )
    const after = await request('GET', '/admin/status')
    const running = ({ body }: { body: any }) =>
      body.data.sweeps.filter(({ isRunning }: any) => isRunning).map(({ name }: any) => name)

    assert.include(running(meanwhile!), 'objects')
    assert.notInclude(running(after), 'objects')
  })

  test('a build without reports and a failed build are stuck', async ({ assert }) => {
    const scene = await Scene.set()
    const [silent, failed, lively] = await Promise.all([
      scene.analysis(),
      scene.analysis(),
      scene.analysis(),
    ])
    await reported(silent.id, { process: 'build', status: 'started', secondsAgo: DAY_S })
    await reported(failed.id, { process: 'build', status: 'failed' })
    await reported(lively.id, { process: 'build', status: 'started' })
    const { body } = await request('GET', '/admin/status')
    const stuck = body.data.stuck.map(({ analysisId, process, status }: any) => [
      analysisId,
      process,
      status,
    ])

    assert.deepInclude(stuck, [silent.id, 'build', 'started'])
    assert.deepInclude(stuck, [failed.id, 'build', 'failed'])
    assert.isFalse(stuck.flat().includes(lively.id))
  })

  test('an unreachable broker hides no other state', async ({ assert }) => {
    const letters = new AmqpDeadLetters('amqp://127.0.0.1:1')
    const administration = new Administration({
      queues: [QUEUE],
      letters,
      audit: await app.container.make(SecurityAudit),
      sweeps: [],
      pool: corePool(),
    })
    const status = new InstallationStatus({
      administration,
      bus: { hasConsumers: async () => undefined },
      pool: corePool(),
      databases: new Map([['core', corePool()]]),
      silenceSeconds: 60,
      surfaces: async () => [],
      signingKeys: async () => [],
    })
    const origin = { actor: operator.actor, requestId: '', address: '', userAgent: undefined }
    const { queues, outbox } = await status.read(origin)

    assert.isNotEmpty(queues)
    assert.isTrue(queues.every(({ dead, isTaken }) => dead === null && isTaken === null))
    assert.lengthOf(outbox, 1)
    await assert.rejects(() => administration.listDeadLetters(origin), /broker cannot be reached/)
  })

  test('it requires the permission of operators', async ({ assert }) => {
    const { status } = await request('GET', '/admin/status', elsewhere)

    assert.equal(status, 403)
  })
})
