import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'
import type pg from 'pg'

import type { Bus } from '#bus/bus'
import type { RetryPolicy } from '#bus/batch_runner'
import {
  defineConsumer,
  singleHandler,
  type Completion,
  type Consumer,
  type Handler,
} from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import type { DeadLetters } from '#bus/dead_letters'
import { MalformedMessage, newMessage, parseMessage, type Message } from '#bus/message'
import { newId } from '#kernel/new_id'
import { eventRouting } from '#bus/names'
import { ServiceUnavailable } from '#kernel/failures'
import { isTransactionOpen } from '#records/transaction_scope'
import { eventually } from '#tests/helpers/eventually'
import { randomPause } from '#tests/helpers/real_time'
import { writingHandler, type Write } from './writing_handler.js'

/** A driver with what the suite needs around it. */
export interface BusSubject {
  readonly bus: Bus
  readonly pool: pg.Pool
  readonly deadLetters: DeadLetters
  stop(): Promise<void>
}

const RETRY: RetryPolicy = { attempts: 3, firstMs: 20, longestMs: 100 }
const silent = { warn() {}, error() {} }
const INTO_QUEUE = 'core.'

/** What one test uses: names nobody else has, and consumers that end with it. */
class Scene {
  readonly name = newId()
  readonly #running: ConsumerRunner[] = []

  constructor(readonly subject: BusSubject) {}

  command(data: Record<string, unknown> = {}, type = 'execute'): Message {
    return newMessage({ type: 'work', key: this.name }, type, data)
  }

  event(
    data: Record<string, unknown> = {},
    type = 'executionStarted',
    name: string = this.name
  ): Message {
    return newMessage(eventRouting(name), type, data)
  }

  /** Messages are published by an outbox that knows their record; here that is in the data. */
  publish(...messages: Message[]): Promise<void[]> {
    return Promise.all(
      messages.map((message) => this.subject.bus.publish(message, String(message.data.id)))
    )
  }

  async consume(given: Write | Handler, further: Partial<Consumer> = {}): Promise<ConsumerRunner> {
    const handler = typeof given === 'function' ? writingHandler(given) : given
    const consumer = defineConsumer({
      queue: this.name,
      surface: 'core',
      prefetch: 10,
      recordOf: ({ data }) => String(data.id),
      handlers: { execute: handler, executionStarted: handler },
      ...further,
    })
    const { bus, pool } = this.subject
    const runner = await ConsumerRunner.start(consumer, { bus, pool, logger: silent, retry: RETRY })
    this.#running.push(runner)
    return runner
  }

  /** A consumer of events under a name of its own. */
  listen(service: string, handler: Write, further: Partial<Consumer> = {}) {
    return this.consume(handler, {
      queue: this.queueOf(service),
      events: [this.name],
      ...further,
    })
  }

  queueOf = (service: string) => `${INTO_QUEUE}${service}.${this.name}`

  async end(): Promise<void> {
    await Promise.all(this.#running.map((runner) => runner.stop()))
  }
}

/**
 * What every driver of the bus has to pass, together with the consumers on it.
 */
export function busSuite(driver: string, open: () => Promise<BusSubject>): void {
  test.group(`Bus | ${driver}`, (group) => {
    let subject: BusSubject
    let scene: Scene

    group.setup(async () => {
      subject = await open()
      await eventually(() => subject.bus.isReady)
      await subject.pool.query('create table bus_effects (message text, note text)')
      return async () => {
        await subject.pool.query('drop table bus_effects')
        await subject.stop()
      }
    })
    group.each.setup(() => {
      scene = new Scene(subject)
      return () => scene.end()
    })

    const effects = async () => {
      const { rows } = await subject.pool.query<{ message: string; note: string }>(
        'select message, note from bus_effects'
      )
      return rows
    }
    const write: Write = async ({ transaction, message }) => {
      await transaction.query('insert into bus_effects values ($1, $2)', [message.id, scene.name])
    }
    const effectsOf = async ({ id }: Message) =>
      (await effects()).filter((effect) => effect.message === id).length

    test('a command reaches the consumer of its queue as it was sent', async ({ assert }) => {
      const taken: Message[] = []
      await scene.consume(async ({ message }) => void taken.push(message))
      const command = newMessage(
        { type: 'work', key: scene.name },
        'execute',
        { id: 'a', text: 'ä😀', nothing: null, list: [1, { two: 2 }] },
        { correlationId: 'row-1', realm: 'master' }
      )
      await scene.publish(command)
      await eventually(() => taken.length > 0)
      assert.deepEqual(taken, [command])
    })

    test('a command waits for its consumer', async ({ assert }) => {
      const taken: unknown[] = []
      const command = scene.command({ id: 'a' })
      const published = scene.publish(command)
      await nextTurn()
      await scene.consume(async ({ message }) => void taken.push(message.id))
      await published
      await eventually(() => taken.length > 0)
      assert.deepEqual(taken, [command.id])
    })

    test('an event reaches every subscribed service, and no other', async ({ assert }) => {
      const taken: string[] = []
      const into = (name: string) => async () => void taken.push(name)
      await scene.listen('one', into('one'))
      await scene.listen('two', into('two'))
      await scene.listen('other', into('other'), { events: [`${scene.name}.other`] })
      await eventually(() => subject.bus.isReady)
      await scene.publish(scene.event({ id: 'a' }))
      await eventually(() => taken.length === 2)
      await scene.publish(scene.event({ id: 'a' }, 'executionStarted', `${scene.name}.other`))
      await eventually(() => taken.includes('other'))
      assert.sameMembers(taken, ['one', 'two', 'other'])
    })

    test('events are retained for a service that is down', async ({ assert }) => {
      const taken: string[] = []
      const service = await scene.listen('one', async () => {})
      await eventually(() => subject.bus.isReady)
      await service.stop()
      const event = scene.event({ id: 'a' })
      const published = scene.publish(event)
      await nextTurn()
      await scene.listen('one', async ({ message }) => void taken.push(message.id))
      await published
      await eventually(() => taken.length === 1)
      assert.deepEqual(taken, [event.id])
    })

    test('messages about one record are handled one after the other, in their order', async ({
      assert,
    }) => {
      const taken: Record<string, number[]> = { a: [], b: [], c: [] }
      const busy = new Set<string>()
      let overlaps = 0
      await scene.consume(async ({ message: { data } }) => {
        overlaps += busy.has(String(data.id)) ? 1 : 0
        busy.add(String(data.id))
        await randomPause(4)
        busy.delete(String(data.id))
        taken[String(data.id)]!.push(data.number as number)
      })
      const numbers = Array.from({ length: 60 }, (_, number) => number)
      await scene.publish(
        ...numbers.flatMap((number) => ['a', 'b', 'c'].map((id) => scene.command({ id, number })))
      )
      await eventually(() => Object.values(taken).every(({ length }) => length === 60))
      assert.deepEqual(taken, { a: numbers, b: numbers, c: numbers })
      assert.equal(overlaps, 0)
    })

    test('different records are handled concurrently, up to the prefetch', async ({ assert }) => {
      let atOnce = 0
      let most = 0
      let count = 0
      const full = Promise.withResolvers<void>()
      await scene.consume(
        async () => {
          most = Math.max(most, ++atOnce)
          if (atOnce === 4) {
            full.resolve()
          }
          await full.promise
          await randomPause(20)
          atOnce--
          count++
        },
        { prefetch: 4 }
      )
      await scene.publish(...Array.from({ length: 24 }, (_, id) => scene.command({ id })))
      await eventually(() => count === 24)
      assert.equal(most, 4)
    })

    test('a duplicate message has its effect once', async ({ assert }) => {
      await scene.consume(write)
      const command = scene.command({ id: 'a' })
      const marker = scene.command({ id: 'a' })
      await scene.publish(command)
      await scene.publish(command, marker)
      await eventually(async () => (await effectsOf(marker)) === 1)
      assert.equal(await effectsOf(command), 1)
    })

    test('a failed attempt leaves nothing, and the next one succeeds', async ({ assert }) => {
      let attempts = 0
      await scene.consume(async (handling) => {
        await write(handling)
        if (++attempts < 3) {
          throw new Error('not yet')
        }
      })
      const command = scene.command({ id: 'a' })
      await scene.publish(command)
      await eventually(async () => (await effectsOf(command)) > 0)
      assert.equal(await effectsOf(command), 1)
      assert.equal(attempts, 3)
    })

    test('external calls run outside of transactions, and their result is written once', async ({
      assert,
    }) => {
      const calls: boolean[] = []
      const outside = async (message: Message): Promise<Completion> => {
        calls.push(isTransactionOpen())
        if (calls.length === 1) {
          throw new Error('not yet')
        }
        return (transaction) => write({ transaction, message })
      }
      await scene.consume(singleHandler(outside))
      const command = scene.command({ id: 'a' })
      const marker = scene.command({ id: 'a' })
      await scene.publish(command)
      await scene.publish(command, marker)
      await eventually(async () => (await effectsOf(marker)) === 1)
      assert.equal(await effectsOf(command), 1)
      assert.isTrue(calls.every((isOpen) => !isOpen))
    })

    test('a failed completion repeats the external call', async ({ assert }) => {
      let calls = 0
      const outside = async (message: Message): Promise<Completion> => {
        const isLast = ++calls === 2
        return async (transaction) => {
          await write({ transaction, message })
          if (!isLast) {
            throw new Error('not yet')
          }
        }
      }
      await scene.consume(singleHandler(outside))
      const command = scene.command({ id: 'a' })
      await scene.publish(command)
      await eventually(async () => (await effectsOf(command)) > 0)
      assert.equal(await effectsOf(command), 1)
      assert.equal(calls, 2)
    })

    test('later messages of the record wait for the next attempt, other records do not', async ({
      assert,
    }) => {
      const taken: string[] = []
      let failures = 0
      await scene.consume(async ({ message: { data } }) => {
        if (data.note === 'first' && failures++ < 2) {
          throw new Error('not yet')
        }
        taken.push(`${data.id} ${data.note}`)
      })
      await scene.publish(
        scene.command({ id: 'a', note: 'first' }),
        scene.command({ id: 'a', note: 'second' }),
        scene.command({ id: 'b', note: 'third' })
      )
      await eventually(() => taken.length === 3)
      assert.deepEqual(taken, ['b third', 'a first', 'a second'])
    })

    test('a message that keeps failing becomes a dead letter with the reason', async ({
      assert,
    }) => {
      let attempts = 0
      await scene.consume(async ({ message }) => {
        if (message.data.bad) {
          attempts++
          throw new Error('the moon is full')
        }
        await write({ message, transaction: subject.pool as never })
      })
      const bad = scene.command({ id: 'a', bad: true })
      const good = scene.command({ id: 'a' })
      await scene.publish(bad, good)
      await eventually(async () => (await effectsOf(good)) === 1)

      assert.equal(attempts, RETRY.attempts)
      const [letter, ...others] = await subject.deadLetters.list(scene.name, 10)
      assert.isEmpty(others)
      assert.containsSubset(letter, {
        queue: scene.name,
        messageId: bad.id,
        type: 'execute',
        reason: 'the moon is full',
        attempts: RETRY.attempts,
      })
      assert.deepEqual(JSON.parse(letter!.body.toString()), bad)
      assert.closeTo(letter!.diedAt.getTime(), Date.now(), 10_000)
    })

    test('dead letters can be redriven, one or all, and start anew', async ({ assert }) => {
      let isRepaired = false
      const handler: Write = async (handling) => {
        if (!isRepaired) {
          throw new Error('broken')
        }
        await write(handling)
      }
      await scene.consume(handler)
      const commands = ['a', 'b', 'c'].map((id) => scene.command({ id }))
      await scene.publish(...commands)
      const dead = () => subject.deadLetters.list(scene.name, 10)
      await eventually(async () => (await dead()).length === 3)
      const one = (await dead()).find(({ messageId }) => messageId === commands[1]!.id)!

      assert.equal(await subject.deadLetters.redrive(scene.name, { id: one.id }), 1)
      await eventually(async () => (await dead()).length === 3)
      isRepaired = true
      assert.equal(await subject.deadLetters.redrive(scene.name, { id: 'nobody' }), 0)
      assert.equal(await subject.deadLetters.redrive(scene.name, 'all'), 3)
      await eventually(async () => (await effectsOf(commands[2]!)) === 1)
      await eventually(async () => (await effectsOf(commands[0]!)) === 1)
      await eventually(async () => (await effectsOf(commands[1]!)) === 1)
      assert.isEmpty(await dead())
    })

    test('a dead letter that is redriven before its delivery ended is delivered again', async ({
      assert,
    }) => {
      const delivered: string[] = []
      const over = Promise.withResolvers<void>()
      const subscription = await subject.bus.subscribe(
        { queue: scene.name, prefetch: 2, database: subject.pool },
        async (delivery) => {
          delivered.push(parseMessage(delivery.bytes).id)
          if (delivered.length === 1) {
            await delivery.deadLetter({ reason: 'broken', attempts: 1 })
            await over.promise
          }
        }
      )
      const command = scene.command({ id: 'a' })
      const published = scene.publish(command)
      await eventually(async () => (await subject.deadLetters.list(scene.name, 1)).length === 1)
      assert.equal(await subject.deadLetters.redrive(scene.name, 'all'), 1)
      over.resolve()
      await published
      await eventually(() => delivered.length === 2)
      await subscription.stop()
      assert.deepEqual(delivered, [command.id, command.id])
    })

    test('dead letters can be dropped, one or all', async ({ assert }) => {
      await scene.consume(async () => {
        throw new Error('broken')
      })
      await scene.publish(...['a', 'b', 'c'].map((id) => scene.command({ id })))
      const dead = () => subject.deadLetters.list(scene.name, 10)
      const counted = async () => {
        const counts = await subject.deadLetters.counts([scene.name, 'nobody'])
        return [counts.get(scene.name), counts.get('nobody')].join()
      }
      await eventually(async () => (await counted()) === '3,0')
      const [, second] = await dead()
      assert.equal(await subject.deadLetters.drop(scene.name, { id: second!.id }), 1)
      const left = await dead()
      assert.lengthOf(left, 2)
      assert.notInclude(
        left.map(({ id }) => id),
        second!.id
      )
      assert.lengthOf(await subject.deadLetters.list(scene.name, 1), 1)
      assert.equal(await subject.deadLetters.drop(scene.name, 'all'), 2)
      assert.isEmpty(await dead())
    })

    test('malformed data is dead after one attempt', async ({ assert }) => {
      let attempts = 0
      await scene.consume(async () => {
        attempts++
        throw new MalformedMessage('the id is not a uuid')
      })
      await scene.publish(scene.command({ id: 'a' }))
      const dead = () => subject.deadLetters.list(scene.name, 10)
      await eventually(async () => (await dead()).length === 1)
      assert.equal(attempts, 1)
      assert.equal((await dead())[0]!.reason, 'malformed: the id is not a uuid')
    })

    test('onDeadLetter is called once, before the message is dead', async ({ assert }) => {
      const reasons: unknown[] = []
      const reason = new Error('the moon is full')
      await scene.consume(
        async () => {
          throw reason
        },
        {
          async onDeadLetter(given) {
            assert.isEmpty(await subject.deadLetters.list(scene.name, 10))
            await given.transaction.query('select 1')
            reasons.push([given.message.id, given.reason])
          },
        }
      )
      const command = scene.command({ id: 'a' })
      await scene.publish(command)
      const dead = () => subject.deadLetters.list(scene.name, 10)
      await eventually(async () => (await dead()).length === 1)
      assert.deepEqual(reasons, [[command.id, reason]])
    })

    test('a command of an unknown type is dead, such an event is ignored', async ({ assert }) => {
      await scene.consume(write)
      await scene.listen('one', write)
      await eventually(() => subject.bus.isReady)
      const known = scene.event({ id: 'a' })
      await scene.publish(scene.command({ id: 'a' }, 'constructor'))
      await scene.publish(scene.event({ id: 'a' }, 'toString'), known)
      await eventually(async () => (await effectsOf(known)) === 1)
      const dead = () => subject.deadLetters.list(scene.name, 10)
      await eventually(async () => (await dead()).length === 1)
      assert.include((await dead())[0]!.reason, 'constructor')
      assert.isEmpty(await subject.deadLetters.list(scene.queueOf('one'), 10))
    })

    test('outages are retried without limit', async ({ assert }) => {
      let attempts = 0
      await scene.consume(async (handling) => {
        if (++attempts <= RETRY.attempts + 2) {
          throw new ServiceUnavailable('The object store is away')
        }
        await write(handling)
      })
      const command = scene.command({ id: 'a' })
      await scene.publish(command)
      await eventually(async () => (await effectsOf(command)) === 1)
      assert.isEmpty(await subject.deadLetters.list(scene.name, 10))
    })

    test('stopping awaits running attempts and requeues the rest in order', async ({ assert }) => {
      const taken: number[] = []
      const started = Promise.withResolvers<void>()
      const finish = Promise.withResolvers<void>()
      const handler: Write = async (handling) => {
        started.resolve()
        await finish.promise
        await write(handling)
        taken.push(handling.message.data.number as number)
      }
      const first = await scene.consume(handler)
      const commands = [0, 1, 2, 3, 4].map((number) => scene.command({ id: 'a', number }))
      const published = scene.publish(...commands)
      await started.promise
      const stopped = first.stop().then(() => assert.deepEqual(taken, [0]))
      await nextTurn()
      finish.resolve()
      await stopped
      await scene.consume(handler)
      await published
      await eventually(() => taken.length >= 5)
      assert.deepEqual(taken, [0, 1, 2, 3, 4])
      assert.equal(await effectsOf(commands[0]!), 1)
    })

    test('a closed bus rejects messages', async ({ assert }) => {
      const other = await open()
      await eventually(() => other.bus.isReady)
      await other.bus.close()
      assert.isFalse(other.bus.isReady)
      const refused = await other.bus.publish(scene.command(), '').catch((error) => error)
      assert.equal(refused.code, 'E_BUS_AWAY')
      await other.stop()
    })
  })
}
