import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'
import vine from '@vinejs/vine'

import { KeyedMutex } from '#kernel/keyed_mutex'
import { MemoryBus } from '#bus/memory/memory_bus'
import { newMessage, parseMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, commandRouting, EVENT_KEYS } from '#bus/names'
import { body } from '#kernel/body'
import type { ShippedLine } from '#shipping/log_task'
import { eventually } from '#tests/helpers/eventually'
import { jobDependencies, LIMITS, silent } from '#tests/helpers/worker/job_dependencies'
import { COMPONENTS } from '#worker/components'
import type { Job } from '#worker/job'
import { JobConsumer, type JobLimits } from '#worker/job_consumer'
import { JobFailure } from '#worker/job_failure'

let folder: string

/** A worker on an in-memory bus, with its published events. */
async function working(run: Job['run'], limits: Partial<JobLimits> = {}) {
  const bus = new MemoryBus()
  const events: Message[] = []
  const lines: ShippedLine[] = []
  const dead: string[] = []
  await bus.subscribe(
    { queue: 'test', events: [EVENT_KEYS.analysisBuilder], prefetch: 50 },
    async ({ bytes }) => void events.push(parseMessage(bytes))
  )
  const dependencies = await jobDependencies(folder, bus)
  const { attempts } = dependencies
  const start = () =>
    JobConsumer.start(
      COMPONENTS.analysisBuilder,
      [
        {
          component: COMPONENTS.analysisBuilder,
          command: 'execute',
          content: body({ id: vine.string() }),
          run,
        },
      ],
      {
        ...dependencies,
        logger: { ...silent, warn: (...[{ reason }]: any) => void dead.push(reason) },
        ship: (line) => void lines.push(line),
        limits: { ...LIMITS, ...limits },
        suspects: new KeyedMutex(),
        onDiskFull() {},
      }
    )
  const order = (id: string, metadata: object = {}, type = 'execute') =>
    bus.publish(
      newMessage(commandRouting(COMMAND_QUEUES.analysisBuilder), type, { id }, { ...metadata })
    )
  return { bus, told: events, lines, dead, attempts, start, order, consumer: await start() }
}

const namesOf = (events: readonly Message[]) => events.map(({ type }) => type)

test.group('Jobs of the worker', (group) => {
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
    return () => rm(folder, { recursive: true })
  })

  test('jobs publish events with the metadata of their command', async ({ assert }) => {
    const { told: events, order } = await working(async () => ({ hash: 'sha256:ab' }))
    await order('one', { run: 'r-1', correlationId: 'c-1' })
    assert.deepEqual(namesOf(events), ['executionStarted', 'executionFinished'])
    assert.deepEqual(events[0]!.data, { id: 'one' })
    assert.deepEqual(events[1]!.data, { id: 'one', hash: 'sha256:ab' })
    for (const { metadata } of events) {
      assert.containSubset(metadata, { run: 'r-1', correlationId: 'c-1', persistent: true })
      assert.deepEqual(metadata.routing, { type: 'pubSub', key: EVENT_KEYS.analysisBuilder })
    }
  })

  test('jobs fail with the code and message of their error', async ({ assert }) => {
    const {
      told: events,
      lines,
      order,
    } = await working(async () => {
      throw new JobFailure('masterImageNotFound', 'There is no such image')
    })
    await order('one')
    assert.deepEqual(events[1]!.data, {
      id: 'one',
      error: {
        name: 'JobFailure',
        code: 'masterImageNotFound',
        message: 'There is no such image',
      },
    })
    assert.containSubset(lines.at(-1), {
      level: 'error',
      service: 'hub-server-worker',
      channel: 'system',
      labels: {
        event: 'executionFailed',
        code: 'masterImageNotFound',
        component: 'analysisBuilder',
        command: 'execute',
        refType: 'analysis',
        refId: 'one',
        analysisId: 'one',
      },
    })
  })

  test('jobs publish no details of unexpected errors', async ({ assert }) => {
    const { told: events, order } = await working(async () => {
      throw new Error('the password is 12345')
    })
    await order('one')
    const { error } = events[1]!.data as { error: JobFailure }
    assert.equal(error.code, 'unforeseen')
    assert.notInclude(JSON.stringify(events), '12345')
  })

  test('jobs fail after the timeout, whatever error it caused', async ({ assert }) => {
    const { told: events, order } = await working(
      async (_content, { signal }) => {
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('broken off')))
        })
        return {}
      },
      { jobMs: 30 }
    )
    await order('one')
    assert.containSubset(events[1], {
      type: 'executionFailed',
      data: { error: { code: 'timeExceeded' } },
    })
  })

  test('for one record run in sequence, others concurrently', async ({ assert }) => {
    const doors = new Map<string, PromiseWithResolvers<void>>()
    const started: string[] = []
    const { order } = await working(async (_content, { command }) => {
      started.push(String(command.run))
      const door = Promise.withResolvers<void>()
      doors.set(String(command.run), door)
      await door.promise
      return {}
    })
    const all = [
      order('one', { run: 'first' }),
      order('one', { run: 'second' }),
      order('two', { run: 'other' }),
    ]
    await eventually(() => started.length === 1)
    doors.get('first')!.resolve()
    await eventually(() => started.length === 3)
    assert.sameOrderedMembers(started.slice(0, 1), ['first'])
    doors.forEach(({ resolve }) => resolve())
    await Promise.all(all)
  })

  test('jobs are requeued on shutdown and done by the next worker', async ({ assert }) => {
    let isHanging = true
    const {
      told: events,
      start,
      order,
      consumer,
    } = await working(async (_content, { signal }) => {
      if (isHanging) {
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('broken off')))
        })
      }
      return {}
    })
    const handled = order('one')
    await eventually(() => events.length === 1)
    await consumer.stop()
    assert.deepEqual(namesOf(events), ['executionStarted'])
    isHanging = false
    await start()
    await handled
    assert.deepEqual(namesOf(events), ['executionStarted', 'executionStarted', 'executionFinished'])
  })

  test('that are nearly done are awaited on shutdown', async ({ assert }) => {
    const door = Promise.withResolvers<void>()
    const {
      told: events,
      order,
      consumer,
    } = await working(
      async () => {
        await door.promise
        return {}
      },
      { graceMs: 60_000 }
    )
    const handled = order('one')
    await eventually(() => events.length === 1)
    const stopped = consumer.stop()
    door.resolve()
    await Promise.all([stopped, handled])
    assert.deepEqual(namesOf(events), ['executionStarted', 'executionFinished'])
  })

  test('that crashed the process too often fail, and released attempts do not count', async ({
    assert,
  }) => {
    let runs = 0
    const {
      told: events,
      attempts,
      bus,
      start,
      consumer,
    } = await working(async (_content, { signal }) => {
      runs++
      if (runs === 1) {
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('broken off')))
        })
      }
      return {}
    })
    const command = newMessage(commandRouting(COMMAND_QUEUES.analysisBuilder), 'execute', {
      id: 'one',
    })
    await attempts.start(command.id)
    await attempts.start(command.id)
    const handled = bus.publish(command)
    await eventually(() => runs === 1)
    await consumer.stop()
    await start()
    await handled
    assert.equal(runs, 2)

    for (let death = 0; death < LIMITS.maxCrashes; death++) {
      await attempts.start(command.id)
    }
    await bus.publish(command)
    assert.equal(runs, 2)
    assert.containSubset(events.at(-1), {
      type: 'executionFailed',
      data: { error: { code: 'workerEnded' } },
    })
    assert.include(JSON.stringify(events.at(-1)), 'crashed 3 times')
    await bus.publish(command)
    assert.equal(runs, 3)
  })

  test('that may have crashed the process run one at a time, others concurrently', async ({
    assert,
  }) => {
    const doors = new Map<string, PromiseWithResolvers<void>>()
    const { attempts, bus } = await working(
      async ({ id }: { id: string }) => {
        const door = Promise.withResolvers<void>()
        doors.set(id, door)
        await door.promise
        return {}
      },
      { concurrency: 3 }
    )
    const routing = commandRouting(COMMAND_QUEUES.analysisBuilder)
    const commands = ['one', 'two', 'new'].map((id) => newMessage(routing, 'execute', { id }))
    await attempts.start(commands[0]!.id)
    await attempts.start(commands[1]!.id)
    const handled = commands.map((command) => bus.publish(command))
    await eventually(() => doors.size === 2)
    const [suspect, other] = doors.has('one') ? ['one', 'two'] : ['two', 'one']
    assert.sameMembers([...doors.keys()], [suspect, 'new'])
    doors.get(suspect!)!.resolve()
    await eventually(() => doors.has(other!))
    doors.forEach(({ resolve }) => resolve())
    await Promise.all(handled)
  })

  test('with unsupported commands are dead-lettered', async ({ assert }) => {
    const { told: events, dead, order, bus } = await working(async () => ({}))
    await order('one', {}, 'dream')
    const routing = commandRouting(COMMAND_QUEUES.analysisBuilder)
    await bus.publish(newMessage(routing, 'execute', { id: 7 }))
    assert.lengthOf(dead, 2)
    assert.include(dead[0], 'dream')
    assert.isEmpty(events)
  })
})
