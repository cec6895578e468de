import { test } from '@japa/runner'

import { defineConsumer, type Handler, type OrderedBatchHandler } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { MalformedMessage, newMessage, type Message } from '#bus/message'
import { newId } from '#kernel/new_id'
import type { BusSubject } from './bus_suite.js'
import { eventually } from '#tests/helpers/eventually'

const RETRY = { attempts: 5, firstMs: 20, longestMs: 100 }
const MOST = 10
const silent = { warn() {}, error() {} }

/** What every driver of the bus has to pass where a consumer handles messages about a record in sequences. */
export function sequenceSuite(driver: string, open: () => Promise<BusSubject>): void {
  test.group(`Messages handled in sequences | ${driver}`, (group) => {
    let subject: BusSubject
    let queue: string
    let sets: (readonly number[])[]
    let runner: ConsumerRunner | undefined

    group.setup(async () => {
      subject = await open()
      await eventually(() => subject.bus.isReady)
      await subject.pool.query(
        'create table sequenced (queue text, record text, number int, place serial)'
      )
      return async () => {
        await subject.pool.query('drop table sequenced')
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

    const command = (number: number, data: object = {}, type = 'note'): Message =>
      newMessage({ type: 'work', key: queue }, type, { number, record: 'one', ...data })
    const commands = (count: number, data: object = {}) =>
      Array.from({ length: count }, (_, number) => command(number, data))
    const publish = (messages: readonly Message[]) =>
      Promise.all(
        messages.map((message) => subject.bus.publish(message, String(message.data.record)))
      )
    const kept = async (record = 'one'): Promise<number[]> => {
      const { rows } = await subject.pool.query<{ number: number }>(
        'select number from sequenced where queue = $1 and record = $2 order by place',
        [queue, record]
      )
      return rows.map(({ number }) => number)
    }
    const dead = () => subject.deadLetters.list(queue, 10)
    const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

    interface Noted {
      readonly number: number
      readonly record: string
    }

    async function consume(inOrder: (numbers: readonly number[]) => void = () => {}) {
      const keep = (record: unknown, given: readonly number[]) => [queue, record, given] as const
      const text = `insert into sequenced (queue, record, number)
        select $1, $2, number from unnest($3::int[]) with ordinality as n (number, turn) order by turn`
      const note: OrderedBatchHandler<Noted> = {
        maxBatchSize: MOST,
        async read({ data }) {
          if (data.bad === 'malformed') {
            throw new MalformedMessage('that is no number')
          }
          return data as unknown as Noted
        },
        async handleInOrder(transaction, given) {
          const values = given.map(({ number }) => number)
          sets.push(values)
          await transaction.query(text, [...keep(given[0]!.record, values)])
          inOrder(values)
        },
      }
      const mark: Handler = async ({ transaction, message: { data } }) => {
        await transaction.query(text, [...keep(data.record, [-1])])
      }
      const consumer = defineConsumer({
        queue,
        surface: 'core',
        prefetch: 100,
        recordOf: ({ data }) => String(data.record),
        handlers: { note, mark },
      })
      const { bus, pool } = subject
      runner = await ConsumerRunner.start(consumer, { bus, pool, logger: silent, retry: RETRY })
    }

    test('those about a record are handled in their order, several in one transaction and never more than are allowed', async ({
      assert,
    }) => {
      await consume()
      await publish([...commands(95), ...commands(30, { record: 'other' })])
      await eventually(async () => (await kept()).length === 95)
      await eventually(async () => (await kept('other')).length === 30)
      assert.deepEqual(await kept(), numbers(95))
      assert.deepEqual(await kept('other'), numbers(30))
      assert.isAtMost(Math.max(...sets.map(({ length }) => length)), MOST)
      assert.isBelow(sets.length, 60)
    })

    test('what is of another type is handled in its turn', async ({ assert }) => {
      await consume()
      const messages = commands(30)
      await publish([...messages.slice(0, 12), command(0, {}, 'mark'), ...messages.slice(12)])
      await eventually(async () => (await kept()).length === 31)
      assert.deepEqual(await kept(), [...numbers(12), -1, ...numbers(30).slice(12)])
    })

    test('one over which the others fail, and one that nobody understands, are dead in the end; all others are handled once and in their order', async ({
      assert,
    }) => {
      await consume((given) => {
        if (given.includes(13)) {
          throw new Error('thirteen is too much')
        }
      })
      const malformed = command(40, { bad: 'malformed' })
      await publish([...commands(40), malformed])
      await eventually(async () => (await dead()).length === 2)
      assert.deepEqual(
        await kept(),
        numbers(40).filter((number) => number !== 13)
      )
    })

    test('one that comes again is not handled again', async ({ assert }) => {
      await consume()
      const messages = commands(20)
      await publish(messages)
      await publish(messages)
      await eventually(async () => (await kept()).length >= 20)
      await publish([command(20)])
      await eventually(async () => (await kept()).includes(20))
      assert.deepEqual(await kept(), numbers(21))
    })

    test('one that was lost with its process before is handled in its turn', async ({ assert }) => {
      await consume()
      const messages = commands(20)
      await subject.pool.query(
        'insert into inbox (consumer, message_id, attempts) values ($1, $2, 2)',
        [queue, messages[10]!.id]
      )
      await publish(messages)
      await eventually(async () => (await kept()).length === 20)
      assert.deepEqual(await kept(), numbers(20))
    })
  })
}
