/** A process that publishes an outbox to RabbitMQ and Redis and does nothing else, so that it can be killed. */
import { AmqpBus } from '#bus/amqp/amqp_bus'
import { createDestinations } from '#outbox/destinations'
import { Relay } from '#outbox/relay'
import { RedisSignals } from '#signals/redis_signals'
import { OUTBOX_TOPIC } from '#outbox/wakeups'
import { loadSettings } from '#runtime/application'

await loadSettings()
const { DATABASE_URL, AMQP_URL, REDIS_URL } = process.env

const logger = { info() {}, warn() {}, error: console.error }
const bus = await AmqpBus.open(AMQP_URL!, logger)
const signals = await RedisSignals.connect(REDIS_URL!, () => {})
const destinations = createDestinations({ bus, signals, realtime: { emit: async () => {} } })
const relay = new Relay({ url: DATABASE_URL!, name: 'test', destinations, logger })
await signals.onNotification(OUTBOX_TOPIC, () => relay.notify())
relay.start()
