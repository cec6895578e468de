import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'
import vine from '@vinejs/vine'

import { MemoryBus } from '#bus/memory/memory_bus'
import { newMessage, parseMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting, EVENT_KEYS } from '#bus/names'
import { body } from '#kernel/body'
import { eventually } from '#tests/helpers/eventually'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { jobDependencies } from '#tests/helpers/worker/job_dependencies'
import { COMPONENTS } from '#worker/components'
import { JobFailure } from '#worker/job_failure'
import { startWorker } from '#worker/worker'
import { WorkerDisk } from '#worker/worker_disk'

let folder: string

/** Workers on one bus, each of which names itself in what it reports. */
async function workers() {
  const bus = new MemoryBus()
  const events: string[] = []
  const errors: string[] = []
  await bus.subscribe(
    { queue: 'test', events: [EVENT_KEYS.analysisBuilder], prefetch: 50 },
    async ({ bytes }) => {
      const { type, data } = parseMessage(bytes)
      events.push(`${type} ${data.worker ?? ''}`.trim())
    }
  )
  const dependencies = await jobDependencies(folder, bus)
  const start = async (worker: string, disk = { isFull: async () => false }) =>
    startWorker(
      [
        {
          component: COMPONENTS.analysisBuilder,
          command: 'execute',
          content: body({ id: vine.string() }),
          async run() {
            if (await disk.isFull()) {
              throw new JobFailure('registryUnavailable', 'The upload could not be noted')
            }
            return { worker }
          },
        },
      ],
      {
        ...dependencies,
        disk,
        logger: {
          ...dependencies.logger,
          error: (...[, message]: any) => void errors.push(message),
        },
      }
    )
  const order = () =>
    bus.publish(
      newMessage(commandRouting(COMMAND_QUEUES.analysisBuilder), 'execute', { id: 'one' }, {})
    )
  return { events, errors, start, order }
}

test.group('A worker whose disk is full', (group) => {
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
    return () => rm(folder, { recursive: true })
  })

  test('the worker leaves its commands to another worker', async ({ assert }) => {
    const { events, errors, start, order } = await workers()
    const first = await start('first', { isFull: async () => true })
    const ordered = order()
    await eventually(() => errors.length > 0)
    const second = await start('second')
    await ordered
    assert.deepEqual(events, ['executionStarted', 'executionStarted', 'executionFinished second'])
    assert.include(errors[0], 'WORKER_PATH')
    await Promise.all([first.stop(), second.stop()])
  })

  test('the worker continues when there is space again', async ({ assert }) => {
    const { events, errors, start, order } = await workers()
    let isFull = true
    await withManualTimers(async (pass) => {
      const worker = await start('only', { isFull: async () => isFull })
      const ordered = order()
      while (errors.length === 0) {
        await pass(1)
      }
      await pass(30_000)
      assert.deepEqual(events, ['executionStarted'])
      isFull = false
      await pass(5_000)
      await ordered
      await worker.stop()
    })
    assert.equal(events.at(-1), 'executionFinished only')
  })

  test('the worker is found by a write, of which nothing stays', async ({ assert }) => {
    await symlink('/dev/full', join(folder, 'probe'))
    const disk = new WorkerDisk(folder)
    await assert.rejects(() => disk.requireSpace(), /full/)
    assert.isEmpty(await readdir(folder))
    assert.isFalse(await disk.isFull())
    assert.isEmpty(await readdir(folder))
  })

  test('the worker is not found where something else is wrong', async ({ assert }) => {
    await mkdir(join(folder, 'probe'))
    assert.isFalse(await new WorkerDisk(folder).isFull())
  })
})
