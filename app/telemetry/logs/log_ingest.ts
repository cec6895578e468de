import type { Bus, BusLogger, Delivery } from '#bus/bus'
import { DeliveryAbandoned } from '#bus/errors'
import { MalformedMessage, parseMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES } from '#bus/names'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { RunningJob } from '#jobs/running_job'
import { sleep, jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import { OutsideRetention } from './errors.js'
import { parseLine } from './log_task.js'
import type { LogLine } from './log_line.js'
import type { LogStore } from './log_store.js'

const QUEUE = COMMAND_QUEUES.telemetryLog
/** The number of unacknowledged lines; the store batches concurrent writes. */
const PREFETCH = 1_000
const BACK_OFF: BackoffPolicy = { firstMs: 100, longestMs: 5_000 }

interface IngestOptions {
  readonly bus: Bus
  readonly store: LogStore
  readonly logger: Pick<BusLogger, 'warn'>
}

/**
 * Consumes log lines from the bus. A message is acknowledged when the store has accepted the line. There is no
 * inbox: the key identifies a redelivered line.
 */
export class LogIngest implements RunningJob {
  readonly #options: IngestOptions
  readonly #stopping = new AbortController()
  #subscription: { stop(): Promise<void> } | undefined
  #isUnavailable = false

  static async start(options: IngestOptions): Promise<LogIngest> {
    const ingest = new LogIngest(options)
    ingest.#subscription = await options.bus.subscribe(
      { queue: QUEUE, prefetch: PREFETCH, database: pools.for(databaseUrl('telemetry')) },
      (delivery) => ingest.#handle(delivery)
    )
    return ingest
  }

  private constructor(options: IngestOptions) {
    this.#options = options
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#subscription?.stop()
  }

  async #handle(delivery: Delivery): Promise<void> {
    let line: LogLine
    try {
      line = parseLine(requireWrite(parseMessage(delivery.bytes)))
    } catch (error) {
      return this.#deadLetter(delivery, error as Error)
    }
    for (let failures = 1; ; failures++) {
      this.#requireActive(delivery)
      try {
        await this.#options.store.write([line], { again: delivery.history === 'again' })
        this.#isUnavailable = false
        return
      } catch (error) {
        if (error instanceof OutsideRetention) {
          return this.#deadLetter(delivery, error)
        }
        this.#warnOnce(error)
        await sleep(jitteredBackoff(failures, BACK_OFF), this.#stopping.signal)
      }
    }
  }

  /** Logs once, not for each waiting line. */
  #warnOnce(error: unknown): void {
    if (!this.#isUnavailable) {
      this.#isUnavailable = true
      this.#options.logger.warn(
        { err: error },
        'log lines are delayed: the log store is unavailable'
      )
    }
  }

  async #deadLetter(delivery: Delivery, { message }: Error): Promise<void> {
    await delivery.deadLetter({ reason: `malformed: ${message}`, attempts: 0 })
    this.#options.logger.warn(
      { queue: QUEUE, reason: message },
      'a log line was moved to the dead letters; inspect it with bus:dead'
    )
  }

  #requireActive({ isLost }: Delivery): void {
    if (this.#stopping.signal.aborted || isLost) {
      throw new DeliveryAbandoned()
    }
  }
}

function requireWrite(message: Message): Message {
  if (message.type !== 'write') {
    throw new MalformedMessage(`unknown command type ${message.type}`)
  }
  return message
}
