import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { test } from '@japa/runner'
import {
  connect,
  type Channel,
  type ChannelModel,
  type ConfirmChannel,
  type GetMessage,
} from 'amqplib'
import pg from 'pg'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { AmqpDeadLetters } from '#bus/amqp/amqp_dead_letters'
import { ReconnectingChannel } from '#bus/amqp/reconnecting_channel'
import { defineConsumer, type Consumer } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { newMessage, type Message } from '#bus/message'
import { newId } from '#kernel/new_id'
import { busDatabase } from '#tests/helpers/bus/bus_database'
import { writingHandler, type Write } from '#tests/helpers/bus/writing_handler'
import { eventually } from '#tests/helpers/eventually'
import { startPostgres } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'
import { randomPause, realTime } from '#tests/helpers/real_time'

const silent = { info() {}, warn() {}, error() {} }
const RETRY = { attempts: 3, firstMs: 20, longestMs: 100 }

let broker: RealServer
let database: Awaited<ReturnType<typeof busDatabase>>

const openBus = async () => {
  const bus = await AmqpBus.open(broker.url, silent)
  await eventually(() => bus.isReady)
  return bus
}

function consumerOf(queue: string, write: Write, further: Partial<Consumer> = {}) {
  return defineConsumer({
    queue,
    surface: 'core',
    prefetch: 20,
    recordOf: ({ data }) => String(data.id),
    handlers: { execute: writingHandler(write) },
    ...further,
  })
}

const consume = (bus: AmqpBus, consumer: Consumer, pool: pg.Pool = database.pool) =>
  ConsumerRunner.start(consumer, { bus, pool, logger: silent, retry: RETRY })

/** Looks at the broker with a client of its own, as another program would. */
async function asPeer<T>(work: (channel: Channel, connection: ChannelModel) => Promise<T>) {
  const connection = await connect(broker.url)
  connection.on('error', () => {})
  try {
    return await work(await connection.createChannel(), connection)
  } finally {
    await connection.close().catch(() => {})
  }
}

/** Hands a message in until it is taken, as the relay of an outbox does. */
async function persist(bus: AmqpBus, message: Message) {
  for (;;) {
    const error = await bus.publish(message).catch((reason: Error & { code: string }) => reason)
    if (!error) {
      return
    }
    if (error.code !== 'E_BUS_AWAY') {
      throw error
    }
    await realTime(50, 'the relay of an outbox tries again at intervals')
  }
}

const command = (queue: string, data: Record<string, unknown>) =>
  newMessage({ type: 'work', key: queue }, 'execute', data)

const writeEffect: Write = async ({ transaction, message: { id } }) => {
  await transaction.query('insert into bus_effects values ($1)', [id])
}

async function effects(): Promise<string[]> {
  const { rows } = await database.pool.query<{ message: string }>('select message from bus_effects')
  return rows.map(({ message }) => message)
}

test.group('Bus on RabbitMQ', (group) => {
  group.setup(async () => {
    ;[broker, database] = await Promise.all([startRabbitmq(), busDatabase()])
    await database.pool.query('create table bus_effects (message text)')
    return async () => void (await Promise.all([broker.stop(), database.stop()]))
  })

  test('a command lies on the wire as other programs expect it', async ({ assert, cleanup }) => {
    const bus = await openBus()
    cleanup(() => bus.close())
    const queue = newId()
    const message = command(queue, { id: 'a' })
    await bus.publish(message)
    const got = await asPeer(async (channel) => {
      await channel.assertQueue(queue, { durable: true })
      return channel.get(queue) as Promise<GetMessage>
    })
    assert.deepEqual(JSON.parse(got.content.toString()), message)
    assert.deepEqual(set(got.properties), {
      type: 'execute',
      messageId: message.id,
      deliveryMode: 2,
    })
    assert.deepInclude(got.fields, { exchange: '', routingKey: queue })
  })

  test('an event goes through the exchange, lasting only where it says so', async ({
    assert,
    cleanup,
  }) => {
    const bus = await openBus()
    cleanup(() => bus.close())
    const key = newId()
    const event = (persistent?: boolean) =>
      newMessage({ type: 'pubSub', key }, 'executionStarted', { id: 'a' }, { persistent })
    const got = await asPeer(async (channel) => {
      await channel.assertExchange('FLAME', 'topic')
      const { queue } = await channel.assertQueue('', {
        exclusive: true,
        autoDelete: true,
        durable: false,
      })
      await channel.bindQueue(queue, 'FLAME', key)
      await bus.publish(event())
      await bus.publish(event(true))
      return [await channel.get(queue), await channel.get(queue)] as GetMessage[]
    })
    assert.deepEqual(
      got.map(({ properties }) => properties.deliveryMode ?? 1),
      [1, 2]
    )
    assert.deepInclude(got[0]!.fields, { exchange: 'FLAME', routingKey: key })
    assert.sameMembers(Object.keys(set(got[1]!.properties)), ['type', 'messageId', 'deliveryMode'])
  })

  test('an invalid message becomes a dead letter, and the next is handled', async ({
    assert,
    cleanup,
  }) => {
    const bus = await openBus()
    const queue = newId()
    const runner = await consume(bus, consumerOf(queue, writeEffect))
    cleanup(() => runner.stop().then(() => bus.close()))
    await eventually(() => bus.isReady)
    const good = command(queue, { id: 'a' })
    await asPeer(async (channel) => {
      await channel.assertQueue(queue, { durable: true })
      for (const bytes of ['{', '[]', '{"id":1}', '\u0000', '']) {
        channel.sendToQueue(queue, Buffer.from(bytes), { messageId: 'x'.repeat(255) })
      }
      channel.sendToQueue(queue, Buffer.from(JSON.stringify(good)))
      await channel.close()
    })
    await eventually(async () => (await effects()).includes(good.id))
    const letters = new AmqpDeadLetters(broker.url)
    await eventually(async () => (await letters.list(queue, 10)).length === 5)
    const [first] = await letters.list(queue, 10)
    assert.equal(first!.reason, 'malformed: the message is not JSON')
    assert.equal(first!.body.toString(), '{')
    await asPeer(async (channel) => {
      const dead = (await channel.get(`${queue}.dead`)) as GetMessage
      assert.equal(dead.properties.headers!['x-dead-reason'], 'malformed: the message is not JSON')
      assert.equal(dead.properties.deliveryMode, 2)
    })
  })

  test('through kills of the broker every command has its effect once, in order per record', async ({
    assert,
    cleanup,
  }) => {
    const bus = await openBus()
    const queue = newId()
    const order: Record<string, number[]> = {}
    const handler: Write = async (handling) => {
      const { id, number } = handling.message.data as { id: string; number: number }
      await randomPause(4)
      await writeEffect(handling)
      ;(order[id] ??= []).push(number)
    }
    const runner = await consume(bus, consumerOf(queue, handler))
    cleanup(() => runner.stop().then(() => bus.close()))
    await bus.publish(command(queue, { id: 'first', number: 0 }))
    await realTime(2_500, 'RabbitMQ confirms a queue up to two seconds before it survives a kill')

    const sent: Message[] = []
    const stream = ['a', 'b', 'c', 'd'].map(async (id) => {
      for (let number = 0; number < 150; number++) {
        const message = command(queue, { id, number })
        sent.push(message)
        await persist(bus, message)
        await randomPause(20)
      }
    })
    for (let round = 0; round < 3; round++) {
      const before = sent.length
      await eventually(() => sent.length > before + 20)
      await broker.kill()
      await broker.restart()
    }
    await Promise.all(stream)
    const done = new Set<string>()
    await eventually(async () => {
      for (const id of await effects()) {
        done.add(id)
      }
      return sent.every(({ id }) => done.has(id))
    })
    const mine = (await effects()).filter((id) => sent.some((message) => message.id === id))
    assert.lengthOf(mine, sent.length)
    for (const id of ['a', 'b', 'c', 'd']) {
      const numbers = order[id]!
      assert.deepEqual(
        numbers,
        [...numbers].sort((one, other) => one - other),
        id
      )
    }
  }).timeout(600_000)

  test('while the broker hangs or is away, publishing is refused within five seconds', async ({
    assert,
    cleanup,
  }) => {
    const bus = await openBus()
    cleanup(() => bus.close())
    const queue = newId()
    await bus.publish(command(queue, {}))
    const refusal = async () => {
      const longer = AbortSignal.timeout(50_000)
      const error = await bus.publish(command(queue, {})).catch((reason) => reason)
      assert.equal(error.code, 'E_BUS_AWAY')
      assert.isFalse(longer.aborted)
    }
    await broker.pause()
    await Promise.all([refusal(), refusal(), refusal()])
    broker.resume()
    await eventually(() => bus.isReady)
    await persist(bus, command(queue, {}))
    await broker.kill()
    await eventually(() => !bus.isReady)
    await refusal()
    await broker.restart()
    await eventually(() => bus.isReady)
    await bus.publish(command(queue, {}))
  })

  test('a channel that ended before anybody listened for it is replaced', async ({
    assert,
    cleanup,
  }) => {
    const connection = await connect(broker.url)
    cleanup(() => connection.close())
    const opened: ConfirmChannel[] = []
    const channel = new ReconnectingChannel({
      async open() {
        const each = await connection.createConfirmChannel()
        if (opened.push(each) === 1) {
          await each.close()
        }
        return each
      },
      prepare: async () => {},
      logger: silent,
    })
    cleanup(() => channel.close())
    await eventually(() => channel.current !== undefined)
    assert.lengthOf(opened, 2)
    assert.equal(channel.current, opened[1])
  })

  test('a message that ends its process ends among the dead letters, and harms no other', async ({
    assert,
  }) => {
    const bus = await openBus()
    const queue = newId()
    const messages = Array.from({ length: 21 }, (_, id) =>
      command(queue, { id, isDeadly: id === 10 })
    )
    for (const message of messages) {
      await bus.publish(message)
    }
    await bus.close()
    const innocent = messages.filter(({ data }) => !data.isDeadly).map(({ id }) => id)
    const letters = new AmqpDeadLetters(broker.url)
    let deaths = 0
    const mayLive = async () => (await letters.list(queue, 10)).length > 0
    while (!(await mayLive()) && deaths < 8) {
      const child = spawn(
        process.execPath,
        [RUN_TYPESCRIPT, 'tests/services/bus/doomed_consumer.ts'],
        {
          env: {
            ...process.env,
            DOOMED_AMQP_URL: broker.url,
            DOOMED_DATABASE_URL: database.url,
            DOOMED_QUEUE: queue,
          },
          stdio: ['ignore', 'inherit', 'inherit'],
        }
      )
      const ended = once(child, 'exit').then(() => true)
      const aMoment = () => realTime(300, 'another process handles messages').then(() => false)
      while (!(await Promise.race([ended, aMoment()]))) {
        const done = await effects()
        if ((await mayLive()) && innocent.every((id) => done.includes(id))) {
          child.kill('SIGKILL')
          await ended
          deaths--
        }
      }
      deaths++
    }
    assert.equal(deaths, RETRY.attempts)
    const found = await letters.list(queue, 10)
    assert.deepEqual(
      found.map(({ messageId }) => messageId),
      [messages[10]!.id]
    )
    assert.match(found[0]!.reason, /process or its connection was lost/)
    const done = await effects()
    for (const id of innocent) {
      assert.lengthOf(
        done.filter((effect) => effect === id),
        1
      )
    }
  }).timeout(600_000)

  test('a database that dies under a handler costs no attempt, and no effect twice', async ({
    assert,
    cleanup,
  }) => {
    const postgres = await startPostgres()
    const pool = new pg.Pool({ connectionString: postgres.url, max: 5 })
    pool.on('error', () => {})
    pool.on('connect', (client) => void client.on('error', () => {}))
    await pool.query('create table bus_effects (message text)')
    await pool.query(`create table inbox (consumer text, message_id text, attempts int default 0,
      done_at timestamptz, primary key (consumer, message_id))`)
    const bus = await openBus()
    const queue = newId()
    const slow: Write = async (handling) => {
      await writeEffect(handling)
      await handling.transaction.query('select pg_sleep(0.05)')
    }
    const runner = await consume(bus, consumerOf(queue, slow), pool)
    cleanup(async () => {
      await runner.stop()
      await bus.close()
      await pool.end()
      await postgres.stop()
    })
    const messages = Array.from({ length: 60 }, (_, number) => command(queue, { id: number % 7 }))
    await Promise.all(messages.map((message) => bus.publish(message)))
    for (let round = 0; round < RETRY.attempts + 1; round++) {
      await randomPause(240)
      await postgres.kill()
      await realTime(100, 'an outage lasts')
      await postgres.restart()
    }
    const written = async () => {
      const { rows } = await pool.query('select message from bus_effects')
      return rows.map(({ message }) => message as string)
    }
    await eventually(async () => (await written()).length >= 60)
    const last = command(queue, { id: 0 })
    await bus.publish(last)
    await eventually(async () => (await written()).includes(last.id))
    assert.sameMembers(
      await written(),
      [...messages, last].map(({ id }) => id)
    )
    assert.isEmpty(await new AmqpDeadLetters(broker.url).list(queue, 1))
  })

  test('the bus of two processes only one is given events, and the other takes over where it stopped', async ({
    assert,
    cleanup,
  }) => {
    const [one, two] = await Promise.all([openBus(), openBus()])
    const key = newId()
    const queue = `core.${key}`
    const taken: string[] = []
    const consumer = (process: string) =>
      consumerOf(
        queue,
        async ({ message: { data } }) => {
          await randomPause(10)
          taken.push(`${process}${data.number}`)
        },
        { events: [key] }
      )
    const first = await consume(one, consumer('one'))
    await eventually(() => one.isReady)
    const second = await consume(two, consumer('two'))
    cleanup(async () => {
      await second.stop()
      await Promise.all([one.close(), two.close()])
    })
    await eventually(() => two.isReady)
    for (let number = 0; number < 40; number++) {
      await one.publish(newMessage({ type: 'pubSub', key }, 'execute', { id: 'a', number }))
    }
    await eventually(() => taken.length > 3)
    await first.stop()
    await eventually(() => taken.length === 40)
    assert.deepEqual(
      taken.map((entry) => Number(entry.slice(3))),
      Array.from({ length: 40 }, (_, number) => number)
    )
    assert.isTrue(taken[0]!.startsWith('one'))
    assert.isTrue(taken.at(-1)!.startsWith('two'))
  })

  test('a queue that an operator deleted is there again', async ({ assert, cleanup }) => {
    const bus = await openBus()
    const queue = newId()
    const runner = await consume(bus, consumerOf(queue, writeEffect))
    cleanup(() => runner.stop().then(() => bus.close()))
    await bus.publish(command(queue, { id: 'a' }))
    await asPeer((channel) => channel.deleteQueue(queue))
    const message = command(queue, { id: 'a' })
    await persist(bus, message)
    await eventually(async () => (await effects()).includes(message.id))
    assert.isTrue(bus.isReady)
  })

  test('a queue that an operator made differently is used as it is', async ({
    assert,
    cleanup,
  }) => {
    const queue = newId()
    await asPeer((channel) =>
      channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } })
    )
    const bus = await openBus()
    const runner = await consume(bus, consumerOf(queue, writeEffect))
    cleanup(() => runner.stop().then(() => bus.close()))
    const messages = [command(queue, { id: 'a' }), command(newId(), { id: 'a' })]
    await Promise.all(messages.map((message) => persist(bus, message)))
    await eventually(async () => (await effects()).includes(messages[0]!.id))
    await eventually(() => bus.isReady)
    assert.lengthOf(
      (await effects()).filter((id) => id === messages[0]!.id),
      1
    )
  })

  test('dead letters are read from the host that responds, of several', async ({ assert }) => {
    const { password, port } = new URL(broker.url)
    const letters = new AmqpDeadLetters(`amqp://hub:${password}@127.0.0.1:9,127.0.0.1:${port}/%2F`)

    assert.deepEqual(await letters.counts(['never used']), new Map([['never used', 0]]))
  })

  test('the bus takes thousands of messages a second', async ({ assert, cleanup }) => {
    const bus = await openBus()
    cleanup(() => bus.close())
    const queue = newId()
    const filler = 'x'.repeat(850)
    const count = 20_000
    const startedAt = performance.now()
    for (let sent = 0; sent < count; sent += 1_000) {
      await Promise.all(
        Array.from({ length: 1_000 }, (_, id) => bus.publish(command(queue, { id, filler })))
      )
    }
    const perSecond = Math.round(count / ((performance.now() - startedAt) / 1_000))
    console.log(`${perSecond} messages of 1 KiB a second were confirmed`)
    assert.isAbove(perSecond, 1_000)
    await asPeer((channel) => channel.deleteQueue(queue))
  })
})

function set(properties: object) {
  return Object.fromEntries(
    Object.entries(properties).filter(
      ([name, value]) =>
        value !== undefined && !(name === 'headers' && Object.keys(value).length === 0)
    )
  )
}
