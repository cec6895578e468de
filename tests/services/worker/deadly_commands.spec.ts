import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { newMessage, readMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, commandTo, EVENT_KEYS } from '#bus/names'
import { eventually } from '#tests/helpers/eventually'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const DEADLY = fileURLToPath(new URL('../../helpers/worker/deadly.ts', import.meta.url))
const DEATHS = 3
const silent = { info() {}, warn() {}, error() {} }

test.group('Commands of which workers die', () => {
  test('have failed after some deaths, and do not take others along', async ({
    assert,
    cleanup,
  }) => {
    const broker = await startRabbitmq()
    const bus = await AmqpBus.open(broker.url, silent)
    cleanup(async () => {
      await bus.close()
      await broker.stop()
    })
    const told: Message[] = []
    const failed = Promise.withResolvers<void>()
    await bus.subscribe(
      { queue: 'test', events: [EVENT_KEYS.analysisBuilder], prefetch: 50 },
      async ({ bytes }) => {
        const message = readMessage(bytes)
        told.push(message)
        if (message.type === 'executionFailed') {
          failed.resolve()
        }
      }
    )
    await eventually(() => bus.isReady)
    const { url } = broker
    const said = { url, folder: await temporaryFolder(cleanup), deadly: 'deadly', deaths: DEATHS }
    let deaths = 0
    const live = () => {
      const worker = spawn(process.execPath, [RUN_TYPESCRIPT, DEADLY], {
        env: { ...process.env, DEADLY: JSON.stringify(said) },
        stdio: 'inherit',
      })
      return { worker, ended: once(worker, 'exit') }
    }

    let { worker, ended } = live()
    for (const id of ['one', 'deadly', 'two', 'three']) {
      const routing = commandTo(COMMAND_QUEUES.analysisBuilder)
      await bus.publish(newMessage(routing, 'execute', { id }))
    }
    while ((await Promise.race([ended, failed.promise])) !== undefined) {
      deaths++
      ;({ worker, ended } = live())
    }
    worker.kill('SIGKILL')
    await ended

    assert.equal(deaths, DEATHS)
    const ends = told.filter(({ type }) => type !== 'executionStarted')
    const done = ends.filter(({ type }) => type === 'executionFinished').map(({ data }) => data.id)
    assert.sameMembers([...new Set(done)], ['one', 'two', 'three'])
    const [end, ...more] = ends.filter(({ data }) => data.id === 'deadly')
    assert.isEmpty(more)
    assert.containSubset(end!.data, { error: { code: 'workerEnded' } })
  }).timeout(120_000)
})
