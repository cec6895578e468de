import { AmqpBus } from '#bus/amqp/amqp_bus'
import { AmqpDeadLetters } from '#bus/amqp/amqp_dead_letters'
import { batchSuite } from '#tests/helpers/bus/batch_suite'
import { busDatabase } from '#tests/helpers/bus/bus_database'
import { busSuite } from '#tests/helpers/bus/bus_suite'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'

const silent = { info() {}, warn() {}, error() {} }

let broker: Promise<RealServer> | undefined

const open = async () => {
  broker ??= startRabbitmq()
  const { url } = await broker
  const { pool, stop } = await busDatabase()
  const bus = await AmqpBus.open(url, silent)
  return {
    bus,
    pool,
    deadLetters: new AmqpDeadLetters(url),
    async stop() {
      await bus.close()
      await stop()
    },
  }
}

busSuite('amqp', open)
batchSuite('amqp', open)
