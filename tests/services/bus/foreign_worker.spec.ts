import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { AmqpDeadLetters } from '#bus/amqp/amqp_dead_letters'
import { defineConsumer } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting, EVENT_KEYS } from '#bus/names'
import { ForeignWorker, type Answer } from '#tests/acceptance/foreign_worker'
import { busDatabase } from '#tests/helpers/bus/bus_database'
import { writingHandler } from '#tests/helpers/bus/writing_handler'
import { eventually } from '#tests/helpers/eventually'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const silent = { info() {}, warn() {}, error() {} }

const builder = { queue: 'analysisBuilderCommands', eventKey: 'analysisBuilderEvents' }
const QUEUE = 'core.analysisBuilderEvents'

const STARTED: Answer = ['executionStarted']
const FINISHED: Answer = ['executionFinished', { hash: 'sha256:ab', size: 7, os: 'linux' }]
const FAILED: Answer = ['executionFailed', { error: {} }]
const HALFWAY: Answer = ['executionProgress', { progress: { current: 1, total: 2, percent: 50 } }]

/** Ways in which workers answer; each has to leave the build as `becomes` says. */
const WORKERS: { title: string; says: Answer[]; becomes: object }[] = [
  {
    title: 'that answers in order',
    says: [STARTED, HALFWAY, FINISHED],
    becomes: { status: 'executed', hash: 'sha256:ab', answers: 3 },
  },
  {
    title: 'that says everything twice',
    says: [STARTED, STARTED, FINISHED, FINISHED],
    becomes: { status: 'executed', hash: 'sha256:ab', answers: 4 },
  },
  {
    title: 'whose events overtake each other',
    says: [FINISHED, HALFWAY, STARTED],
    becomes: { status: 'executed', hash: 'sha256:ab', answers: 3 },
  },
  {
    title: 'that fails with an error nobody can read',
    says: [STARTED, FAILED],
    becomes: { status: 'failed', hash: null, answers: 2 },
  },
  {
    title: 'that also says what nobody here knows',
    says: [['checkStarted'], ['executionDreamt', { of: 'sheep' }], STARTED, FINISHED],
    becomes: { status: 'executed', hash: 'sha256:ab', answers: 2 },
  },
]

/** Builds as a surface keeps them: what has ended does not begin again because of a late event. */
const note = (status: string | undefined) =>
  writingHandler(async ({ transaction, message: { data, metadata } }) => {
    await transaction.query('update builds set answers = answers + 1 where id = $1', [data.id])
    await transaction.query(
      `update builds set status = $2, hash = $3
       where id = $1 and correlation_id = $4 and status not in ('executed', 'failed')`,
      [data.id, status ?? 'started', data.hash ?? null, metadata.correlationId]
    )
  })

const consumer = defineConsumer({
  queue: QUEUE,
  events: [EVENT_KEYS.analysisBuilder],
  surface: 'core',
  prefetch: 10,
  recordOf: ({ data }) => String(data.id),
  handlers: {
    executionStarted: note('started'),
    executionProgress: note(undefined),
    executionFinished: note('executed'),
    executionFailed: note('failed'),
  },
})

test.group('A foreign worker', (group) => {
  let broker: Awaited<ReturnType<typeof startRabbitmq>>
  let database: Awaited<ReturnType<typeof busDatabase>>
  let bus: AmqpBus
  let runner: ConsumerRunner

  group.setup(async () => {
    ;[broker, database] = await Promise.all([startRabbitmq(), busDatabase()])
    await database.pool.query(
      `create table builds (id text primary key, correlation_id text,
       status text not null default 'starting', hash text, answers int not null default 0)`
    )
    bus = await AmqpBus.open(broker.url, silent)
    runner = await ConsumerRunner.start(consumer, { bus, pool: database.pool, logger: silent })
    await eventually(() => bus.isReady)
    return async () => {
      await runner.stop()
      await bus.close()
      await Promise.all([broker.stop(), database.stop()])
    }
  })

  async function order(id: string): Promise<void> {
    const correlationId = `outbox-${id}`
    await database.pool.query('insert into builds (id, correlation_id) values ($1, $2)', [
      id,
      correlationId,
    ])
    const routing = commandRouting(COMMAND_QUEUES.analysisBuilder)
    await bus.publish(newMessage(routing, 'execute', { id }, { correlationId }))
  }

  const build = async (id: string) => {
    const { rows } = await database.pool.query(
      'select status, hash, answers from builds where id = $1',
      [id]
    )
    return rows[0]
  }

  for (const { title, says, becomes } of WORKERS) {
    test(`${title} gets its command and is understood`, async ({ assert, cleanup }) => {
      const worker = await ForeignWorker.start(broker.url, builder, () => says)
      cleanup(() => worker.stop())
      const id = randomUUID()
      await order(id)
      await eventually(async () => (await build(id)).answers === becomes['answers' as never])
      assert.deepEqual(await build(id), becomes)
      assert.lengthOf(worker.commands, 1)
      const [command] = worker.commands
      assert.sameMembers(Object.keys(command!), ['id', 'type', 'data', 'metadata'])
      assert.deepInclude(command, { type: 'execute', data: { id } })
      assert.deepEqual(command!.metadata.routing, { type: 'work', key: builder.queue })
      assert.isEmpty(await new AmqpDeadLetters(broker.url).list(QUEUE, 1))
    })
  }

  test('that was there first declares everything as it does alone', async ({ assert, cleanup }) => {
    const component = { queue: 'masterImageBuilderTasks', eventKey: 'masterImageBuilderEvents' }
    const worker = await ForeignWorker.start(broker.url, component, () => [])
    cleanup(() => worker.stop())
    const routing = commandRouting(COMMAND_QUEUES.masterImageBuilder)
    await bus.publish(newMessage(routing, 'execute', { id: randomUUID() }))
    await eventually(() => worker.commands.length === 1)
    assert.equal(worker.commands[0]!.type, 'execute')
  })

  test('messages of a service during our downtime are received afterwards', async ({
    assert,
    cleanup,
  }) => {
    const worker = await ForeignWorker.start(broker.url, builder, () => [STARTED, FINISHED])
    cleanup(() => worker.stop())
    await runner.stop()
    const id = randomUUID()
    await order(id)
    await eventually(() => worker.commands.length === 1)
    assert.deepInclude(await build(id), { status: 'starting' })
    runner = await ConsumerRunner.start(consumer, { bus, pool: database.pool, logger: silent })
    await eventually(async () => (await build(id)).answers === 2)
    assert.deepInclude(await build(id), { status: 'executed' })
  })

  test('malformed messages of a service become dead letters, and valid ones are received again', async ({
    assert,
    cleanup,
  }) => {
    const worker = await ForeignWorker.start(broker.url, builder, () => [STARTED, FINISHED])
    cleanup(() => worker.stop())
    await worker.mumble('executionFinished!')
    const id = randomUUID()
    await order(id)
    await eventually(async () => (await build(id)).answers === 2)
    const letters = await new AmqpDeadLetters(broker.url).list(QUEUE, 10)
    assert.deepEqual(
      letters.map(({ reason }) => reason),
      ['malformed: the message is not JSON']
    )
  })
})
