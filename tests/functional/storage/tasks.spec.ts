import { stat } from 'node:fs/promises'

import { test } from '@japa/runner'

import { Bus } from '#bus/bus'
import { defineConsumer } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { newMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, commandRouting, EVENT_KEYS } from '#bus/names'
import { clock } from '#kernel/clock'
import { drain } from '#kernel/drain'
import { metrics } from '#observability/metrics'
import { env } from '#start/env'
import { containerName } from '#storage/objects/layout'
import { layoutsOf } from '#storage/objects/bucket_locations'
import { boot } from '#tests/helpers/application'
import { emptyOutbox } from '#tests/helpers/outbox/empty_outbox'
import { eventually } from '#tests/helpers/eventually'
import { identity } from '#tests/helpers/identities'
import { storagePool } from '#storage/database'
import { writingHandler } from '#tests/helpers/bus/writing_handler'

import { aBucket, aFile, callStorage, person, uniqueName, withoutStore } from './storage_scene.js'

const REALM = clock.uuid()

let bus: Bus
const received: Message[] = []

const listening = defineConsumer({
  queue: `telemetry.${EVENT_KEYS.storageBucket}`,
  events: [EVENT_KEYS.storageBucket],
  surface: 'telemetry',
  prefetch: 10,
  recordOf: ({ data }) => String(data.id),
  handlers: Object.fromEntries(
    ['creation', 'deletion'].flatMap((what) =>
      ['Started', 'Finished', 'Failed'].map((how) => [
        what + how,
        writingHandler(async ({ message }) => void received.push(message)),
      ])
    )
  ),
})

/** Sends a command without waiting for its consumer. */
function send(type: string, data: Record<string, unknown>): Message {
  const message = newMessage(commandRouting(COMMAND_QUEUES.storageBucket), type, data, {
    correlationId: clock.uuid(),
    attempt: 7,
  })
  void bus.publish(message, message.id)
  return message
}

const answersTo = ({ metadata }: Message) =>
  received.filter((event) => event.metadata.correlationId === metadata.correlationId)

/** The events that answer a command, once there are this many. */
async function answered(command: Message, count: number): Promise<Message[]> {
  await eventually(() => answersTo(command).length >= count)
  return answersTo(command)
}

async function settled(): Promise<void> {
  const marker = send('create', { name: uniqueName('marker'), realmId: REALM })
  await answered(marker, 2)
}

/** Resolves when this many more attempts to handle a command have failed. */
async function attemptsFailed(count: number): Promise<void> {
  const failed = async () => {
    const { values } = await metrics.getSingleMetric('bus_failed_attempts_total')!.get()
    return values.reduce((sum, { value }) => sum + value, 0)
  }
  const before = await failed()
  await eventually(async () => (await failed()) >= before + count)
}

const typesOf = (events: Message[]) => events.map(({ type }) => type)
const folderOf = (id: unknown) => `${env.STORAGE_PATH}/${containerName(String(id))}`
const isThere = (path: string) => stat(path).then(Boolean, () => false)

async function deadReason({ id }: Message): Promise<string | undefined> {
  const { rows } = await storagePool().query(
    'select reason from dead_letters where message_id = $1',
    [id]
  )
  return rows[0]?.reason
}

test.group('Buckets of commands on the bus', (group) => {
  group.setup(async () => {
    const app = await boot()
    const logger = await app.container.make('logger')
    const [outbox, consumers] = await Promise.all([import('#start/outbox'), import('#start/bus')])
    await emptyOutbox()
    const jobs = [await consumers.start({ app, drain }), await outbox.start({ app, drain })]
    bus = await app.container.make(Bus)
    jobs.push(await ConsumerRunner.start(listening, { bus, pool: storagePool(), logger }))
    return async () => {
      await Promise.all(jobs.map((job) => job.stop()))
    }
  })

  test('buckets are created, and the event correlates with the command', async ({ assert }) => {
    const wanted = {
      name: uniqueName(),
      realmId: REALM,
      refType: 'analysis',
      refId: clock.uuid(),
    }
    const command = send('create', { ...wanted, id: clock.uuid(), actorId: clock.uuid() })
    const events = await answered(command, 2)
    assert.deepEqual(typesOf(events), ['creationStarted', 'creationFinished'])
    const [started, finished] = events.map(({ data }) => data)
    assert.containsSubset(started, wanted)
    assert.containsSubset(finished, { ...wanted, region: null })
    assert.equal(started!.id, finished!.id)
    assert.notEqual(finished!.id, command.data.id)
    assert.match(String(finished!.createdAt), /Z$/)
    for (const { metadata } of events) {
      assert.equal(metadata.timestamp, command.metadata.timestamp)
      assert.equal(metadata.attempt, 7)
      assert.deepEqual(metadata.routing, { type: 'pubSub', key: EVENT_KEYS.storageBucket })
    }
    const reader = person(REALM, ['bucket_update'])
    const { body } = await callStorage(reader, 'GET', `/buckets/${finished!.id}`)
    assert.containsSubset(body.data, { name: wanted.name, realmId: REALM, actorType: 'client' })
    assert.isTrue(await isThere(folderOf(finished!.id)))
  })

  test('buckets are made once, however often the command arrives', async ({ assert }) => {
    const command = newMessage(
      commandRouting(COMMAND_QUEUES.storageBucket),
      'create',
      {
        name: uniqueName(),
        realmId: REALM,
      },
      { correlationId: clock.uuid() }
    )
    await Promise.all([1, 2, 3].map(() => bus.publish(command, command.id)))
    await answered(command, 2)
    await bus.publish(command, command.id)
    await settled()
    await storagePool().query('delete from inbox where message_id = $1', [command.id])
    await bus.publish(command, command.id)
    const events = await answered(command, 3)
    assert.deepEqual(typesOf(events), ['creationStarted', 'creationFinished', 'creationFinished'])
    const { rowCount } = await storagePool().query('select 1 from buckets where name = $1', [
      command.data.name,
    ])
    assert.equal(rowCount, 1)
  })

  test('without a realm belong to that of the platform', async ({ assert }) => {
    const [, finished] = await answered(send('create', { name: uniqueName() }), 2)
    assert.isString(finished!.data.realmId)
    const path = `/buckets/${finished!.data.id}`
    assert.equal((await callStorage(person(REALM), 'GET', path)).status, 403)
  })

  for (const [what, data] of [
    ['no name', { realmId: REALM }],
    ['a name that is too short', { name: 'a', realmId: REALM }],
    ['a name that is an object', { name: { $ne: 1 }, realmId: REALM }],
    ['a realm that is no id', { name: 'good-name', realmId: "'; drop table buckets" }],
    ['a region that is a list', { name: 'good-name', region: ['eu'] }],
    ['a name that cannot be stored', { name: 'good\0name', realmId: REALM }],
  ] as const) {
    test(`buckets with ${what} are answered with a failure, and their command is a dead letter`, async ({
      assert,
    }) => {
      const command = send('create', { ...data })
      const events = await eventually(() => {
        const ends = answersTo(command).filter(({ type }) => type !== 'creationStarted')
        return ends.length > 0 && ends
      }, 20_000)
      assert.deepEqual(typesOf(events), ['creationFailed'])
      assert.sameMembers(Object.keys(events[0]!.data), ['id', 'error'])
      assert.isNotEmpty(events[0]!.data.error)
      assert.notMatch(String(events[0]!.data.error), /select|insert|\/|postgres/i)
      await eventually(() => deadReason(command))
      assert.isEmpty(await layoutsOf(String(events[0]!.data.id)))
    }).timeout(60_000)
  }

  test('buckets wait for an unavailable store, and are published once', async ({
    assert,
    cleanup,
  }) => {
    const bringBack = await withoutStore()
    cleanup(bringBack)
    const command = send('create', { name: uniqueName(), realmId: REALM })
    await answered(command, 1)
    await attemptsFailed(3)
    assert.deepEqual(typesOf(answersTo(command)), ['creationStarted'])
    await bringBack()
    const events = await answered(command, 2)
    assert.deepEqual(typesOf(events), ['creationStarted', 'creationFinished'])
    assert.isTrue(await isThere(folderOf(events[1]!.data.id)))
  })

  test('buckets are deleted with their files, objects and location', async ({ assert }) => {
    const { id } = await aBucket({ realmId: REALM })
    const file = await aFile(id)
    const command = send('delete', { id: id.toUpperCase() })
    const events = await answered(command, 2)
    assert.deepEqual(typesOf(events), ['deletionStarted', 'deletionFinished'])
    assert.deepEqual(
      events.map(({ data }) => data.id),
      [id, id]
    )
    assert.equal(events[1]!.data.realmId, REALM)
    assert.equal((await callStorage(identity(), 'GET', `/buckets/${id}`)).status, 404)
    assert.equal((await callStorage(identity(), 'GET', `/bucket-files/${file.id}`)).status, 404)
    await eventually(async () => (await layoutsOf(id)).length === 0)
    assert.isFalse(await isThere(folderOf(id)))
    await bus.publish(command, id)
    await settled()
    assert.lengthOf(answersTo(command), 2)
  })

  test('that are not there to be deleted are answered with a failure', async ({ assert }) => {
    const id = clock.uuid()
    const events = await answered(send('delete', { id }), 1)
    assert.deepEqual(typesOf(events), ['deletionFailed'])
    assert.deepEqual(events[0]!.data, { id, error: 'The bucket was not found' })
  })

  for (const id of [undefined, null, 7, 'all', { toString: 1 }, ['a']]) {
    test(`to be deleted are named by an id, and not by ${JSON.stringify(id)}`, async ({
      assert,
    }) => {
      const command = send('delete', { id })
      assert.match(await eventually(() => deadReason(command)), /malformed/)
      assert.isFalse(typesOf(answersTo(command)).includes('deletionFinished'))
    })
  }
})

test.group('Changes of buckets and files through HTTP', () => {
  const messagesOf = async (id: string) => {
    const { rows } = await storagePool().query(
      `select content->'command' as command, content->'change' as change from outbox
       where ordered_by like '%/' || $1 order by position`,
      [id]
    )
    return {
      events: rows.flatMap(({ command }) => (command ? [command as Message] : [])),
      changes: rows.flatMap(({ change }) => (change ? [change] : [])),
    }
  }

  test('changes are each published once for buckets, files and records', async ({ assert }) => {
    const maker = person(REALM, ['bucket_create'])
    const { body } = await callStorage(maker, 'POST', '/buckets', { name: uniqueName() })
    const { id } = body.data
    await callStorage(maker, 'POST', `/buckets/${id}`, { name: 'other' })
    const file = await aFile(id)
    await callStorage(maker, 'DELETE', `/bucket-files/${file.id}`)
    await callStorage(maker, 'DELETE', `/buckets/${id}`)

    const ofBucket = await messagesOf(id)
    assert.deepEqual(typesOf(ofBucket.events), ['creationFinished', 'deletionFinished'])
    assert.deepEqual(
      ofBucket.changes.map(({ change }) => change),
      ['created', 'deleted']
    )
    const ofFile = await messagesOf(file.id)
    assert.deepEqual(typesOf(ofFile.events), ['deletionFinished'])
    assert.deepEqual(
      ofFile.changes.map(({ change }) => change),
      ['deleted']
    )
    const [event] = ofFile.events
    assert.equal(event!.metadata.routing.key, EVENT_KEYS.storageBucketFile)
    assert.containsSubset(event!.data, { id: file.id, bucketId: id, size: 7, hash: file.hash })
    assert.notProperty(event!.data, 'layout')
    assert.notProperty(event!.data, 'sha256')
    assert.notProperty(event!.data, 'bucket')
  })

  test('changes are audited with who made them, from where, and in which realm', async ({
    assert,
  }) => {
    const maker = person(REALM, ['bucket_create'])
    const { body } = await callStorage(maker, 'POST', '/buckets', { name: uniqueName() })
    const { changes } = await messagesOf(body.data.id)
    assert.equal(changes[0].realmId, REALM)
    assert.containsSubset(changes[0].doer, {
      actor: { type: 'user', id: maker.actor.id, name: maker.actor.name },
      address: '127.0.0.1',
      method: 'POST',
    })
    assert.match(changes[0].doer.path, /\/buckets$/)
    assert.notProperty(changes[0].data, 'refId')
  })

  test('changes take no correlation from what a client sends', async ({ assert }) => {
    const maker = person(REALM, ['bucket_create'])
    const foreign = 'task:somebody-elses'
    maker.headers = { ...maker.headers, 'x-request-id': foreign } as typeof maker.headers
    const { body } = await callStorage(maker, 'POST', '/buckets', { name: uniqueName() })
    const { events } = await messagesOf(body.data.id)
    assert.notInclude(JSON.stringify(events), foreign)
    assert.isNotEmpty(events[0]!.metadata.correlationId)
  })

  test('that are rejected publish no event', async ({ assert }) => {
    const owner = person(REALM)
    const { id } = await aBucket({ realmId: REALM, actorType: 'user', actorId: owner.actor.id })
    await callStorage(person(REALM), 'DELETE', `/buckets/${id}`)
    await callStorage(person(REALM), 'POST', `/buckets/${id}`, {})
    const { events, changes } = await messagesOf(id)
    assert.isEmpty(events)
    assert.isEmpty(changes)
  })
})
