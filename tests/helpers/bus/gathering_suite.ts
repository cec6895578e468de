import { test } from '@japa/runner'

import { defineConsumer, type Consumer, type BatchHandler } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { MalformedMessage, newMessage, type Message } from '#bus/message'
import { ServiceUnavailable } from '#kernel/failures'
import { newId } from '#kernel/new_id'
import type { BusSubject } from './bus_suite.js'
import { eventually } from '#tests/helpers/eventually'

const RETRY = { attempts: 3, firstMs: 20, longestMs: 100 }
const silent = { warn() {}, error() {} }

/** What every driver of the bus has to pass where a consumer handles many messages as one. */
export function gatheringSuite(driver: string, open: () => Promise<BusSubject>): void {
  test.group(`Messages handled together | ${driver}`, (group) => {
    let subject: BusSubject
    let queue: string
    let sets: number[][]
    let runner: ConsumerRunner | undefined

    group.setup(async () => {
      subject = await open()
      await eventually(() => subject.bus.isReady)
      await subject.pool.query('create table gathered (queue text, number int)')
      return async () => {
        await subject.pool.query('drop table gathered')
        await subject.stop()
      }
    })
    group.each.setup(() => {
      queue = newId()
      sets = []
      return async () => {
        await runner?.stop()
        runner = undefined
      }
    })

    const commands = (count: number, data: Record<string, unknown> = {}) =>
      Array.from({ length: count }, (_, number) =>
        newMessage({ type: 'work', key: queue }, 'note', { number, ...data })
      )
    const publish = (messages: readonly Message[]) =>
      Promise.all(messages.map((message) => subject.bus.publish(message, message.id)))
    const kept = async () => {
      const { rows } = await subject.pool.query<{ number: number }>(
        'select number from gathered where queue = $1 order by number',
        [queue]
      )
      return rows.map(({ number }) => number)
    }
    const dead = () => subject.deadLetters.list(queue, 10)
    const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

    async function consume(
      together: (numbers: readonly number[]) => Promise<void> = async () => {},
      further: Partial<Consumer> = {}
    ) {
      const note: BatchHandler<number> = {
        maxBatchSize: 50,
        lingerMs: 20,
        async read({ data }) {
          if (data.bad === 'malformed') {
            throw new MalformedMessage('that is no number')
          }
          return data.number as number
        },
        async handleBatch(transaction, given) {
          sets.push([...given])
          await transaction.query(
            'insert into gathered select $1, number from unnest($2::int[]) as n (number)',
            [queue, given]
          )
          await together(given)
        },
      }
      const consumer = defineConsumer({
        queue,
        surface: 'telemetry',
        prefetch: 500,
        recordOf: ({ type }) => type,
        handlers: { note },
        ...further,
      })
      const { bus, pool } = subject
      runner = await ConsumerRunner.start(consumer, { bus, pool, logger: silent, retry: RETRY })
    }

    test('all are handled, many in one transaction and never more than are allowed', async ({
      assert,
    }) => {
      await consume()
      await publish(commands(400))
      await eventually(async () => (await kept()).length === 400)
      assert.deepEqual(await kept(), numbers(400))
      assert.isAtMost(Math.max(...sets.map(({ length }) => length)), 50)
      assert.isBelow(sets.length, 100)
    })

    test('one that comes alone does not wait for others', async ({ assert }) => {
      await consume()
      await publish(commands(1))
      await eventually(async () => (await kept()).length === 1)
      assert.deepEqual(sets, [[0]])
    })

    test('while one set is written a full one is already on its way, and no third', async ({
      assert,
    }) => {
      const written = Promise.withResolvers<void>()
      let [started, mostAtOnce] = [0, 0]
      await consume(async () => {
        mostAtOnce = Math.max(mostAtOnce, ++started)
        await written.promise
        started--
      })
      const published = publish(commands(200))
      await eventually(() => started === 2)
      assert.lengthOf(sets[1]!, 50)
      written.resolve()
      await published
      await eventually(async () => (await kept()).length === 200)
      assert.deepEqual(await kept(), numbers(200))
      assert.equal(mostAtOnce, 2)
    })

    test('one that cannot be understood is dead at once, and costs the others nothing', async ({
      assert,
    }) => {
      const reasons: string[] = []
      await consume(undefined, {
        onDeadLetter: async ({ message }) => void reasons.push(message.id),
      })
      const [bad] = commands(1, { bad: 'malformed' })
      await publish([...commands(20), bad!])
      await eventually(async () => (await dead()).length === 1 && (await kept()).length === 20)
      assert.deepEqual(await kept(), numbers(20))
      assert.equal((await dead())[0]!.messageId, bad!.id)
      assert.deepEqual(reasons, [bad!.id])
    })

    test('one over which its set fails is found and is dead after its attempts; the others are handled once', async ({
      assert,
    }) => {
      await consume(async (given) => {
        if (given.includes(13)) {
          throw new Error('thirteen is too much')
        }
      })
      const messages = commands(40)
      await publish(messages)
      await eventually(async () => (await dead()).length === 1)
      await eventually(async () => (await kept()).length === 39)
      assert.deepEqual(
        await kept(),
        numbers(40).filter((number) => number !== 13)
      )
      const [letter] = await dead()
      assert.equal(letter!.messageId, messages[13]!.id)
      assert.equal(letter!.attempts, RETRY.attempts)
    })

    test('what is away is waited for, and no message is to blame', async ({ assert }) => {
      let failures = 0
      await consume(async () => {
        if (failures++ < 4) {
          throw new ServiceUnavailable('The database is away')
        }
      })
      await publish(commands(5))
      await eventually(async () => (await kept()).length === 5)
      assert.deepEqual(await kept(), numbers(5))
      assert.isEmpty(await dead())
    })

    test('those that wait when a consumer stops are handled by the next', async ({ assert }) => {
      const started = Promise.withResolvers<void>()
      const going = Promise.withResolvers<void>()
      await consume(async () => {
        started.resolve()
        await going.promise
      })
      const published = publish(commands(200))
      await started.promise
      const stopped = runner!.stop()
      going.resolve()
      await stopped
      await consume()
      await published
      await eventually(async () => (await kept()).length === 200)
      assert.deepEqual(await kept(), numbers(200))
    })
  })
}
