import { randomBytes } from 'node:crypto'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { newMessage } from '#bus/message'
import { CountingProxy } from '#tests/helpers/hosts/counting_proxy'
import { hostsSuite } from '#tests/helpers/hosts/hosts_suite'
import { eventually } from '#tests/helpers/eventually'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const silent = { info() {}, warn() {}, error() {} }

/** Two nodes that know nothing of each other. */
async function startBoth() {
  const password = randomBytes(24).toString('hex')
  const servers = await Promise.all([startRabbitmq({ password }), startRabbitmq({ password })])
  const proxies = await Promise.all(servers.map(({ url }) => CountingProxy.to(portOf(url))))
  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join()
  return { url: `amqp://hub:${password}@${hosts}`, servers, proxies, password }
}

hostsSuite('RabbitMQ', async () => {
  const { url, servers, proxies, password } = await startBoth()
  const bus = await AmqpBus.open(url, silent)
  const received = new Set<string>()
  await bus.subscribe({ queue: 'notes', prefetch: 10 }, async ({ bytes }) => {
    received.add(JSON.parse(String(bytes)).id)
  })
  return {
    resolver: bus.hosts,
    proxies,
    password,
    /** By the publisher to the consumer, which have a connection each. */
    async write() {
      const message = newMessage({ type: 'work', key: 'notes' }, 'note', {})
      await bus.publish(message)
      await eventually(() => received.has(message.id))
    },
    failOver: () =>
      servers[proxies.findIndex(({ port }) => port === bus.hosts.current.port)]!.kill(),
    async stop() {
      await bus.close()
      await Promise.all(proxies.map((proxy) => proxy.close()))
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
})

const portOf = (url: string): number => Number(new URL(url).port)
