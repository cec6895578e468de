import { LoggerManager, defineConfig } from '@adonisjs/core/logger'
import { test } from '@japa/runner'

import type { Delivery } from '#bus/bus'
import { BusUnavailable } from '#bus/errors'
import { MemoryBus } from '#bus/memory/memory_bus'
import { parseMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES } from '#bus/names'
import { LEVEL_NUMBERS, LogTap } from '#observability/log_tap'
import { loggableError } from '#observability/loggable_error'
import { withoutSecrets } from '#observability/without_secrets'
import { shippedLine, type ShippedLine } from '#shipping/log_task'
import { Shipper } from '#shipping/shipper'
import { isLogWriter, readLine, surfaceOf } from '#shipping/log_line'
import { eventually } from '#tests/helpers/eventually'
import { withManualTimers } from '#tests/helpers/manual_timers'

/** A logger as that of the platform, and what its tap hands on. */
function tapped(threshold: keyof typeof LEVEL_NUMBERS) {
  const written: string[] = []
  const tap = new LogTap(LEVEL_NUMBERS[threshold], { write: (line) => written.push(line) })
  const manager = new LoggerManager(
    defineConfig({
      default: 'app',
      loggers: {
        app: {
          enabled: true,
          name: 'analysis-hub',
          level: 'info',
          destination: tap,
          serializers: { err: (error: unknown) => loggableError(error) },
          formatters: { log: withoutSecrets },
        },
      },
    })
  )
  return { tap, written, logger: manager.use() }
}

const linesOf = (tap: LogTap) => {
  const lines: ShippedLine[] = []
  tap.listen((text) => lines.push(shippedLine(readLine(text)!, 'core')))
  return lines
}

test.group('The own log', () => {
  test('a line is written, and shipped from a level on', ({ assert }) => {
    const { tap, written, logger } = tapped('warn')
    logger.warn('before anybody listens')
    const lines = linesOf(tap)
    logger.info('not so important')
    logger.debug('not even written')
    logger.error('after that')
    assert.lengthOf(written, 3)
    assert.deepEqual(
      lines.map(({ message, level }) => [message, level]),
      [
        ['before anybody listens', 'warn'],
        ['after that', 'error'],
      ]
    )
  })

  test('becomes lines with labels, traces and without secrets', ({ assert }) => {
    const { tap, logger } = tapped('info')
    const lines = linesOf(tap)
    const request = logger.child({ request_id: 'r1' })
    request.error(
      { err: new Error('broken'), status: 500, deep: { a: 1 }, token: 'abc', surface: 'core' },
      'failed'
    )
    logger.warn({ queue: 'q', count: 3, isLast: true }, 'x'.repeat(10_000))
    const [first, second] = lines
    assert.match(first!.message, /^failed\nError: broken\n {4}at /)
    assert.containsSubset(first, { level: 'error', channel: 'http', service: 'hub-server-core' })
    assert.deepEqual(first!.labels, { request_id: 'r1', status: '500', token: '[redacted]' })
    assert.lengthOf(second!.message, 4_096)
    assert.deepEqual(second!.labels, { queue: 'q', count: '3', isLast: 'true' })
    assert.match(second!.time, /^\d{4}-\d\d-\d\dT.*Z$/)
  })

  test('a line belongs to the surface of a line, else of the process', ({ assert }) => {
    const line = { level: 40, time: 0 }
    assert.equal(surfaceOf({ ...line, surface: 'storage' }, ['core', 'telemetry']), 'storage')
    assert.equal(surfaceOf({ ...line, surface: 'none' }, ['core', 'telemetry']), 'telemetry')
    assert.equal(surfaceOf(line, ['core', 'storage']), 'core')
    assert.isTrue(isLogWriter(surfaceOf(line, ['core', 'telemetry'])))
    assert.isFalse(isLogWriter(surfaceOf(line, ['messenger'])))
  })
})

const aLine = (message: string): ShippedLine => ({
  time: '2026-01-31T12:00:00.000Z',
  message,
  service: 'hub-server-core',
  level: 'warn',
  channel: 'system',
  labels: {},
})

test.group('Shipped lines', () => {
  async function taking(bus: MemoryBus) {
    const taken: Message[] = []
    await bus.subscribe(
      { queue: COMMAND_QUEUES.telemetryLog, prefetch: 10, database: undefined as never },
      async ({ bytes }: Delivery) => void taken.push(parseMessage(bytes))
    )
    return taken
  }

  test('lines reach the queue of telemetry in order and in batches', async ({ assert }) => {
    const bus = new MemoryBus()
    const taken = await taking(bus)
    const shipper = new Shipper(async () => bus)
    const messages = Array.from({ length: 1_200 }, (_, at) => `line ${at}`)
    messages.forEach((message) => shipper.ship(aLine(message)))
    assert.isEmpty(taken)
    await shipper.stop()
    assert.deepEqual(
      taken.map(({ data }) => data.message),
      messages
    )
    assert.equal(taken[0]!.type, 'write')
    assert.deepEqual(taken[0]!.data, { ...aLine('line 0') })
  })

  test('lines are buffered up to a limit while the bus is unavailable', async ({ assert }) => {
    const bus = new MemoryBus()
    let isAway = true
    const shipper = new Shipper(async () => {
      if (isAway) {
        throw new BusUnavailable('away')
      }
      return bus
    })
    const taken = await taking(bus)
    await withManualTimers(async (pass) => {
      Array.from({ length: 10_500 }, (_, at) => shipper.ship(aLine(`line ${at}`)))
      await pass(10_000)
      assert.isEmpty(taken)
      isAway = false
      await pass(30_000)
      await eventually(() => taken.length === 10_000)
      await shipper.stop()
    })
    assert.lengthOf(taken, 10_000)
  })
})
