import { test } from '@japa/runner'

import { defineConsumer, type BatchStrategy, type Consumer, type Handler } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { MalformedMessage, newMessage, type Message } from '#bus/message'
import { ServiceUnavailable } from '#kernel/failures'
import { newId } from '#kernel/new_id'
import { eventually } from '#tests/helpers/eventually'
import type { BusSubject } from './bus_suite.js'
import { writingHandler } from './writing_handler.js'

const RETRY = { attempts: 5, firstMs: 20, longestMs: 100 }
const silent = { warn() {}, error() {} }

const SINGLE: BatchStrategy = { by: 'record', maxSize: 1 }
const BY_RECORD: BatchStrategy = { by: 'record', maxSize: 10 }
const BY_TYPE: BatchStrategy = { by: 'type', maxSize: 50, lingerMs: 20 }

const STRATEGIES = { 'single messages': SINGLE, 'by record': BY_RECORD, 'by type': BY_TYPE }

interface Note {
  readonly number: number
  readonly record: string
}

/** Records the batches of one queue, and what they have written. */
class Notes {
  readonly queue = newId()
  readonly batches: (readonly number[])[] = []
  readonly dead: string[] = []
  #runner: ConsumerRunner | undefined

  constructor(readonly subject: BusSubject) {}

  command(number: number, data: object = {}, type = 'note'): Message {
    return newMessage({ type: 'work', key: this.queue }, type, { number, record: 'one', ...data })
  }

  commands(count: number, data: object = {}): Message[] {
    return numbers(count).map((number) => this.command(number, data))
  }

  publish(messages: readonly Message[]): Promise<void[]> {
    const { bus } = this.subject
    return Promise.all(messages.map((message) => bus.publish(message, String(message.data.record))))
  }

  /** The numbers of a record, in the order in which they were written. */
  async written(record = 'one'): Promise<number[]> {
    const { rows } = await this.subject.pool.query<{ number: number }>(
      'select number from notes where queue = $1 and record = $2 order by place',
      [this.queue, record]
    )
    return rows.map(({ number }) => number)
  }

  letters = () => this.subject.deadLetters.list(this.queue, 10)

  async consume(
    batch: BatchStrategy,
    afterWrite: (numbers: readonly number[]) => Promise<void> | void = () => {},
    handlers: Consumer['handlers'] = {}
  ): Promise<void> {
    const note: Handler<Note> = {
      batch,
      async read({ data }) {
        if (data.bad) {
          throw new MalformedMessage('that is not a number')
        }
        return data as unknown as Note
      },
      write: async (transaction, notes) => {
        const values = notes.map(({ number }) => number)
        this.batches.push(values)
        await transaction.query(
          `insert into notes (queue, record, number)
           select $1, record, number from unnest($2::text[], $3::int[])
             with ordinality as n (record, number, turn) order by turn
           on conflict do nothing`,
          [this.queue, notes.map(({ record }) => record), values]
        )
        await afterWrite(values)
      },
    }
    const consumer = defineConsumer({
      queue: this.queue,
      surface: 'core',
      prefetch: 500,
      recordOf: ({ data }) => String(data.record),
      handlers: { note, ...handlers },
      onDeadLetter: async ({ message }) => void this.dead.push(message.id),
    })
    const { bus, pool } = this.subject
    this.#runner = await ConsumerRunner.start(consumer, { bus, pool, logger: silent, retry: RETRY })
  }

  async stop(): Promise<void> {
    await this.#runner?.stop()
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

/** What every driver of the bus has to pass with each batch strategy. */
export function batchSuite(driver: string, open: () => Promise<BusSubject>): void {
  test.group(`Batches of messages | ${driver}`, (group) => {
    let subject: BusSubject
    let notes: Notes

    group.setup(async () => {
      subject = await open()
      await eventually(() => subject.bus.isReady)
      await subject.pool.query(
        `create table notes (queue text, record text, number int, place serial,
         unique (queue, record, number))`
      )
      return async () => {
        await subject.pool.query('drop table notes')
        await subject.stop()
      }
    })
    group.each.setup(() => {
      notes = new Notes(subject)
      return () => notes.stop()
    })

    for (const [name, batch] of Object.entries(STRATEGIES)) {
      /** Messages of one type that are independent may be written in any order. */
      const inOrder = (written: number[]) =>
        batch.by === 'type' ? written.toSorted((one, other) => one - other) : written

      test(`${name}: all are handled, as many in one transaction as may be, and in order per record`, async ({
        assert,
      }) => {
        await notes.consume(batch)
        await notes.publish([...notes.commands(95), ...notes.commands(30, { record: 'other' })])
        await eventually(async () => (await notes.written()).length === 95)
        await eventually(async () => (await notes.written('other')).length === 30)
        assert.deepEqual(inOrder(await notes.written()), numbers(95))
        assert.deepEqual(inOrder(await notes.written('other')), numbers(30))
        assert.isAtMost(Math.max(...notes.batches.map(({ length }) => length)), batch.maxSize)
        assert.isAtMost(notes.batches.length, batch.maxSize === 1 ? 125 : 60)
      })

      test(`${name}: a malformed message is dead, the others are handled once`, async ({
        assert,
      }) => {
        await notes.consume(batch)
        const messages = notes.commands(20)
        const malformed = notes.command(20, { bad: true })
        await notes.publish([...messages.slice(0, 7), malformed, ...messages.slice(7)])
        await eventually(async () => (await notes.letters()).length === 1)
        await eventually(async () => (await notes.written()).length === 20)
        assert.deepEqual(inOrder(await notes.written()), numbers(20))
        const [letter] = await notes.letters()
        assert.equal(letter!.messageId, malformed.id)
        assert.equal(letter!.reason, 'malformed: that is not a number')
        assert.deepEqual(notes.dead, [malformed.id])
      })

      test(`${name}: a message that fails its batch is found and dead after its attempts, the others are handled once`, async ({
        assert,
      }) => {
        await notes.consume(batch, (given) => {
          if (given.includes(13)) {
            throw new Error('thirteen is too much')
          }
        })
        const messages = notes.commands(40)
        await notes.publish(messages)
        await eventually(async () => (await notes.letters()).length === 1)
        await eventually(async () => (await notes.written()).length === 39)
        assert.deepEqual(
          inOrder(await notes.written()),
          numbers(40).filter((number) => number !== 13)
        )
        const [letter] = await notes.letters()
        assert.equal(letter!.messageId, messages[13]!.id)
        assert.equal(letter!.attempts, RETRY.attempts)
      })

      test(`${name}: outages are retried without limit`, async ({ assert }) => {
        let failures = 0
        await notes.consume(batch, () => {
          if (failures++ < RETRY.attempts + 1) {
            throw new ServiceUnavailable('The database is away')
          }
        })
        await notes.publish(notes.commands(5))
        await eventually(async () => (await notes.written()).length === 5)
        assert.deepEqual(inOrder(await notes.written()), numbers(5))
        assert.isEmpty(await notes.letters())
      })

      test(`${name}: a duplicate message has its effect once`, async ({ assert }) => {
        await notes.consume(batch)
        const messages = notes.commands(20)
        await notes.publish([...messages, ...messages])
        await notes.publish(messages)
        await notes.publish([notes.command(20)])
        await eventually(async () => (await notes.written()).includes(20))
        assert.deepEqual(inOrder(await notes.written()), numbers(21))
        if (batch.by === 'record') {
          assert.deepEqual(notes.batches.flat(), numbers(21))
        }
      })

      test(`${name}: a message that was lost with its process before is handled alone, in its turn`, async ({
        assert,
      }) => {
        await notes.consume(batch)
        const messages = notes.commands(20)
        await subject.pool.query(
          'insert into inbox (consumer, message_id, attempts) values ($1, $2, 2)',
          [notes.queue, messages[10]!.id]
        )
        await notes.publish(messages)
        await eventually(async () => (await notes.written()).length === 20)
        assert.deepEqual(inOrder(await notes.written()), numbers(20))
        assert.isEmpty(await notes.letters())
      })

      test(`${name}: messages that wait when a consumer stops are handled by the next`, async ({
        assert,
      }) => {
        const started = Promise.withResolvers<void>()
        const going = Promise.withResolvers<void>()
        await notes.consume(batch, async () => {
          started.resolve()
          await going.promise
        })
        const published = notes.publish(notes.commands(200))
        await started.promise
        const stopped = notes.stop()
        going.resolve()
        await stopped
        assert.isBelow((await notes.written()).length, 200)
        await notes.consume(batch)
        await published
        await eventually(async () => (await notes.written()).length === 200)
        assert.deepEqual(inOrder(await notes.written()), numbers(200))
      })
    }

    test('by record: a message of another type is handled in its turn', async ({ assert }) => {
      const mark = writingHandler(async ({ transaction, message: { data } }) => {
        await transaction.query('insert into notes (queue, record, number) values ($1, $2, $3)', [
          notes.queue,
          data.record,
          data.number,
        ])
      })
      await notes.consume(BY_RECORD, undefined, { mark })
      const messages = notes.commands(30)
      await notes.publish([
        notes.command(-1, {}, 'mark'),
        ...messages.slice(0, 12),
        notes.command(-2, {}, 'mark'),
        notes.command(-3, {}, 'mark'),
        ...messages.slice(12),
      ])
      const expected = [-1, ...numbers(12), -2, -3, ...numbers(30).slice(12)]
      await eventually(async () => (await notes.written()).length === expected.length)
      assert.deepEqual(await notes.written(), expected)
    })

    test('by type: messages about different records share a transaction', async ({ assert }) => {
      await notes.consume(BY_TYPE)
      await notes.publish(numbers(40).map((number) => notes.command(number, { record: number })))
      await eventually(() => notes.batches.flat().length === 40)
      assert.isBelow(notes.batches.length, 10)
    })

    test('by type: while one batch is written a full one is already on its way, and no third', async ({
      assert,
    }) => {
      const written = Promise.withResolvers<void>()
      let [started, mostAtOnce] = [0, 0]
      await notes.consume(BY_TYPE, async () => {
        mostAtOnce = Math.max(mostAtOnce, ++started)
        await written.promise
        started--
      })
      const published = notes.publish(notes.commands(200))
      await eventually(() => started === 2)
      assert.lengthOf(notes.batches[1]!, BY_TYPE.maxSize)
      written.resolve()
      await published
      await eventually(async () => (await notes.written()).length === 200)
      assert.equal(mostAtOnce, 2)
    })

    test('by type: a message that comes alone does not wait for others', async ({ assert }) => {
      await notes.consume(BY_TYPE)
      await notes.publish(notes.commands(1))
      await eventually(async () => (await notes.written()).length === 1)
      assert.deepEqual(notes.batches, [[0]])
    })
  })
}
