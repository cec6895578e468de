import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { newMessage, parseMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, commandRouting, EVENT_KEYS } from '#bus/names'
import { eventually } from '#tests/helpers/eventually'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const DEADLY = fileURLToPath(new URL('../../helpers/worker/deadly.ts', import.meta.url))
const DEATHS = 3
const IDS = ['one', 'deadly', 'two', 'three']
const silent = { info() {}, warn() {}, error() {} }

test.group('Commands that crash workers', () => {
  test('commands fail after some crashes, and do not fail others', async ({ assert, cleanup }) => {
    const broker = await startRabbitmq()
    const bus = await AmqpBus.open(broker.url, silent)
    cleanup(async () => {
      await bus.close()
      await broker.stop()
    })
    const ends: Message[] = []
    const over = Promise.withResolvers<void>()
    await bus.subscribe(
      { queue: 'test', events: [EVENT_KEYS.analysisBuilder], prefetch: 50 },
      async ({ bytes }) => {
        const message = parseMessage(bytes)
        if (message.type !== 'executionStarted') {
          ends.push(message)
        }
        if (new Set(ends.map(({ data }) => data.id)).size === IDS.length) {
          over.resolve()
        }
      }
    )
    await eventually(() => bus.isReady)
    const { url } = broker
    const content = {
      url,
      folder: await temporaryFolder(cleanup),
      deadly: 'deadly',
      deaths: DEATHS,
    }
    let deaths = 0
    const live = () => {
      const worker = spawn(process.execPath, [RUN_TYPESCRIPT, DEADLY], {
        env: { ...process.env, DEADLY: JSON.stringify(content) },
        stdio: 'inherit',
      })
      return { worker, ended: once(worker, 'exit') }
    }

    let { worker, ended } = live()
    for (const id of IDS) {
      const routing = commandRouting(COMMAND_QUEUES.analysisBuilder)
      await bus.publish(newMessage(routing, 'execute', { id }))
    }
    while ((await Promise.race([ended, over.promise])) !== undefined) {
      deaths++
      ;({ worker, ended } = live())
    }
    worker.kill('SIGKILL')
    await ended

    assert.equal(deaths, DEATHS)
    const failures = ends.filter(({ type }) => type === 'executionFailed')
    assert.lengthOf(failures, 1)
    assert.containSubset(failures[0]!.data, { id: 'deadly', error: { code: 'workerEnded' } })
  }).timeout(600_000)
})
