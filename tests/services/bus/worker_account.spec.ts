import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'
import { connect, type Channel, type ChannelModel } from 'amqplib'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { newMessage, parseMessage, type Message } from '#bus/message'
import {
  COMMAND_QUEUES,
  commandRouting,
  deadQueueOf,
  EVENT_EXCHANGE,
  EVENT_KEYS,
  eventRouting,
  WORKER_EXCHANGE,
  WORKER_QUEUES,
} from '#bus/names'
import { eventually } from '#tests/helpers/eventually'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const SCRIPT = fileURLToPath(new URL('../../../deploy/rabbitmq/worker-account', import.meta.url))
const [PASSWORD, OF_WORKER] = ['password-of-the-hub', 'password-of-the-worker']
const FAKE_RABBITMQCTL = '#!/bin/sh\nprintf "%s\\n" "$@" -- >> "$CALLS"\n'
const silent = { info() {}, warn() {}, error() {} }

/** What the script of the page tells the broker, as calls with their words. */
async function callsOfScript(folder: string): Promise<string[][]> {
  const program = join(folder, 'rabbitmqctl')
  await writeFile(program, FAKE_RABBITMQCTL)
  await chmod(program, 0o755)
  const calls = join(folder, 'calls')
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, CALLS: calls }
  await promisify(execFile)('/bin/sh', [SCRIPT], { env })
  const words = (await readFile(calls, 'utf8')).split('--\n').filter(Boolean)
  return words.map((call) => call.trimEnd().split('\n'))
}

/** The same as definitions, which a broker reads when it starts. */
async function definitions(folder: string): Promise<object> {
  const calls = await callsOfScript(folder)
  const wordsAfter = (name: string) => {
    const words = calls.find((call) => call.includes(name))!
    return words.slice(words.indexOf('worker') + 1)
  }
  const [configure, write, read] = wordsAfter('set_permissions')
  const [exchange, writeTopic, readTopic] = wordsAfter('set_topic_permissions')
  const all = { configure: '.*', write: '.*', read: '.*' }
  return {
    vhosts: [{ name: '/' }],
    users: [
      { name: 'hub', password: PASSWORD, tags: [] },
      { name: 'worker', password: OF_WORKER, tags: [] },
    ],
    permissions: [
      { user: 'hub', vhost: '/', ...all },
      { user: 'worker', vhost: '/', configure, write, read },
    ],
    topic_permissions: [
      { user: 'worker', vhost: '/', exchange, write: writeTopic, read: readTopic },
    ],
  }
}

test.group('The account of workers at the broker', (group) => {
  let hub: AmqpBus
  let worker: AmqpBus
  let url: string
  let connection: ChannelModel
  const reports: Message[] = []
  const lines: Message[] = []

  group.setup(async () => {
    const cleanups: (() => unknown)[] = []
    const folder = await temporaryFolder((cleanup) => cleanups.push(cleanup))
    const file = join(folder, 'definitions.json')
    await writeFile(file, JSON.stringify(await definitions(folder)))
    await chmod(folder, 0o755)
    const settings = [`load_definitions = ${file}`]
    const broker = await startRabbitmq({ settings, password: PASSWORD })
    url = broker.url.replace(`hub:${PASSWORD}`, `worker:${OF_WORKER}`)
    hub = await AmqpBus.open(broker.url, silent)
    hub.admitWorkers()
    await hub.subscribe(
      { queue: 'core.reports', events: [EVENT_KEYS.analysisBuilder], prefetch: 10 },
      async ({ bytes }) => void reports.push(parseMessage(bytes))
    )
    await hub.subscribe({ queue: COMMAND_QUEUES.telemetryLog, prefetch: 10 }, async ({ bytes }) => {
      lines.push(parseMessage(bytes))
    })
    worker = await AmqpBus.open(url, silent, { isLimited: true })
    connection = await connect(url)
    connection.on('error', () => {})
    return async () => {
      await connection.close()
      await Promise.all([worker.close(), hub.close()])
      await broker.stop()
      await Promise.all(cleanups.map((cleanup) => cleanup()))
    }
  })

  test('the account takes commands, and sends reports, log lines and dead letters', async ({
    assert,
  }) => {
    const { telemetryLog, analysisBuilder } = COMMAND_QUEUES
    const taken: string[] = []
    await worker.subscribe({ queue: analysisBuilder, prefetch: 1 }, async (delivery) => {
      const command = parseMessage(delivery.bytes)
      taken.push(command.type)
      if (command.type === 'unknown') {
        await delivery.deadLetter({ reason: 'unknown', attempts: 1 })
      } else {
        const routing = eventRouting(EVENT_KEYS.analysisBuilder)
        await worker.publish(newMessage(routing, 'executionFinished', {}, { run: 'one' }))
        await worker.publish(newMessage(commandRouting(telemetryLog), 'write', { line: 1 }))
      }
    })
    await eventually(() => hub.isReady && worker.isReady)
    for (const type of ['unknown', 'execute']) {
      await hub.publish(newMessage(commandRouting(analysisBuilder), type, { id: 'one' }))
    }
    await eventually(() => reports.length === 1 && lines.length === 1)
    assert.deepEqual([...new Set(taken)], ['unknown', 'execute'])
    const dead = await connect(url.replace(`worker:${OF_WORKER}`, `hub:${PASSWORD}`))
    const channel = await dead.createChannel()
    assert.equal((await channel.checkQueue(deadQueueOf(analysisBuilder))).messageCount, 1)
    await dead.close()
  })

  test('the account reads the password where rabbitmqctl takes it, which a further argument would end', async ({
    assert,
    cleanup,
  }) => {
    const calls = await callsOfScript(await temporaryFolder(cleanup))
    assert.deepInclude(calls, ['add_user', 'worker'])
  })

  /** The code with which the broker ends a channel on which this is done. */
  async function refusal(work: (channel: Channel) => unknown): Promise<number | undefined> {
    const channel = await connection.createChannel()
    const ended = new Promise<number | undefined>((resolve) => {
      channel.on('error', ({ code }: { code?: number }) => resolve(code))
    })
    const done = (async () => {
      await work(channel)
      await channel.checkQueue(WORKER_QUEUES[0]!)
      await channel.close()
      return undefined
    })()
    return Promise.race([ended, done.catch(() => ended)])
  }

  const content = Buffer.from('{}')
  const REFUSED: Record<string, (channel: Channel) => unknown> = {
    'a command to storage': (channel) => channel.sendToQueue('storageBucketTasks', content),
    'an event for the audit trail': (channel) =>
      channel.sendToQueue('telemetryEventTasks', content),
    'a report past its exchange': (channel) => channel.sendToQueue('core.reports', content),
    'an event of storage': (channel) =>
      channel.publish(EVENT_EXCHANGE, EVENT_KEYS.storageBucket, content),
    'a change of a record': (channel) =>
      channel.publish(EVENT_EXCHANGE, 'domain.analysis.updated', content),
    'reading the reports': (channel) => channel.consume('core.reports', () => {}),
    'reading the log': (channel) => channel.consume(COMMAND_QUEUES.telemetryLog, () => {}),
    'another queue': (channel) => channel.assertQueue('mine', { durable: true }),
    'an end of its own queue': (channel) => channel.deleteQueue(WORKER_QUEUES[0]!),
    'an end of the exchange': (channel) => channel.deleteExchange(EVENT_EXCHANGE),
    'another way from its exchange': (channel) =>
      channel.bindQueue('core.reports', WORKER_EXCHANGE, 'core.reports'),
  }

  for (const [title, work] of Object.entries(REFUSED)) {
    test(`the account is refused ${title}`, async ({ assert }) => {
      assert.equal(await refusal(work), 403)
    })
  }

  test('the account is let do what it may, as others are refused', async ({ assert }) => {
    const key = EVENT_KEYS.masterImageBuilder
    assert.isUndefined(await refusal((channel) => channel.publish(EVENT_EXCHANGE, key, content)))
  })
})
