import { test } from '@japa/runner'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { AmqpDeadLetters } from '#bus/amqp/amqp_dead_letters'
import { newMessage } from '#bus/message'
import { CountingProxy } from '#tests/helpers/hosts/counting_proxy'
import { hostsSuite } from '#tests/helpers/hosts/hosts_suite'
import { eventually } from '#tests/helpers/eventually'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const silent = { info() {}, warn() {}, error() {} }

/** Two nodes that know nothing of each other. */
async function startBoth() {
  const first = await startRabbitmq()
  const { password } = new URL(first.url)
  const second = await startRabbitmq({ password })
  const servers = [first, second]
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

test.group('RabbitMQ with several nodes', () => {
  test('dead letters are read from the node that responds', async ({ assert, cleanup }) => {
    const broker = await startRabbitmq()
    cleanup(() => broker.stop())
    const { password, port } = new URL(broker.url)
    const letters = new AmqpDeadLetters(`amqp://hub:${password}@127.0.0.1:9,127.0.0.1:${port}/%2F`)

    assert.deepEqual(await letters.counts(['notes']), new Map([['notes', 0]]))
  })
})

const portOf = (url: string): number => Number(new URL(url).port)
