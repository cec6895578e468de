/** A process that only consumes events from RabbitMQ, so that a test can kill or stop it. */
import { AmqpBus } from '#bus/amqp/amqp_bus'
import { ConsumerRunner } from '#bus/consumer_runner'
import { telemetryPool } from '#telemetry/database'
import { eventConsumer } from '#telemetry/events/event_consumer'
import { loadSettings } from '#runtime/application'

await loadSettings()
const logger = { info() {}, warn() {}, error: console.error }
const bus = await AmqpBus.open(process.env.AMQP_URL!, logger)
const runner = await ConsumerRunner.start(eventConsumer, { bus, pool: telemetryPool(), logger })
process.once('SIGTERM', async () => {
  await runner.stop()
  await bus.close()
  process.exit()
})
