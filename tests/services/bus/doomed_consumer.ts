import pg from 'pg'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { defineConsumer } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { writingHandler } from '#tests/helpers/bus/writing_handler'

/** A process with a consumer that one kind of message ends at once, as running out of memory would. */
const logger = { info() {}, warn() {}, error() {} }
const pool = new pg.Pool({ connectionString: process.env.DOOMED_DATABASE_URL, max: 8 })
const bus = await AmqpBus.open(process.env.DOOMED_AMQP_URL!, logger)

const consumer = defineConsumer({
  queue: process.env.DOOMED_QUEUE!,
  surface: 'core',
  prefetch: 10,
  recordOf: ({ data }) => String(data.id),
  handlers: {
    execute: writingHandler(async ({ transaction, message: { id, data } }) => {
      if (data.isDeadly) {
        process.kill(process.pid, 'SIGKILL')
      }
      await transaction.query('insert into bus_effects values ($1)', [id])
    }),
  },
})
const retry = { attempts: 3, firstMs: 20, longestMs: 100 }
await ConsumerRunner.start(consumer, { bus, pool, logger, retry })
