import type { Bus, BusLogger } from '#bus/bus'
import { MalformedMessage, type Message } from '#bus/message'
import { MessageReceiver } from '#bus/message_receiver'
import { COMMAND_QUEUES } from '#bus/names'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { RunningJob } from '#jobs/running_job'
import { jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import { OutsideRetention } from './errors.js'
import { BUS } from '#telemetry/events/reporter'
import type { LineOwners } from './line_owners.js'
import { parseLine } from './log_task.js'
import type { LogLine } from './log_line.js'
import type { LogStore } from './log_store.js'

/** The number of unacknowledged lines; the store batches concurrent writes. */
const PREFETCH = 1_000
const BACK_OFF: BackoffPolicy = { firstMs: 100, longestMs: 5_000 }

interface IngestOptions {
  readonly bus: Bus
  readonly store: LogStore
  readonly owners: Pick<LineOwners, 'ofPlatform'>
  readonly logger: Pick<BusLogger, 'warn' | 'error'>
}

/**
 * Consumes log lines from the bus. A message is acknowledged when the store has accepted the line. There is no
 * inbox: the key identifies a redelivered line.
 */
export async function consumeLogLines(options: IngestOptions): Promise<RunningJob> {
  const { bus, store, owners, logger } = options
  const database = pools.for(databaseUrl('telemetry'))
  const subscription = { queue: COMMAND_QUEUES.telemetryLog, prefetch: PREFETCH, database }
  const receiver = new MessageReceiver({ bus, logger, subscription })
  let isUnavailable = false

  /** Logs an outage once, not for each waiting line. */
  function delayAfter(error: unknown, failures: number): number {
    if (error instanceof OutsideRetention) {
      throw new MalformedMessage(error.message, { cause: error })
    }
    if (!isUnavailable) {
      isUnavailable = true
      logger.warn({ err: error }, 'log lines are delayed: the log store is unavailable')
    }
    return jitteredBackoff(failures, BACK_OFF)
  }

  await receiver.start(lineOf, async ({ delivery }, line) => {
    const owner = await owners.ofPlatform(line.labels, BUS)
    const again = delivery.history === 'again'
    const write = () => store.write([{ ...line, owner }], { again })
    await receiver.retry([delivery], write, delayAfter)
    isUnavailable = false
    return 'handled'
  })
  return receiver
}

function lineOf(message: Message): LogLine {
  if (message.type !== 'write') {
    throw new MalformedMessage(`unknown command type ${message.type}`)
  }
  return parseLine(message)
}
