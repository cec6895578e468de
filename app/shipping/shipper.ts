import { Counter } from 'prom-client'

import type { Bus } from '#bus/bus'
import type { Message } from '#bus/message'
import { sleep, jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import { metrics } from '#observability/metrics'
import { writeTask, type ShippedLine } from './log_task.js'

const BATCH_DELAY_MS = 500
const BATCH_SIZE = 500
const MAX_QUEUED = 10_000
const STOP_TIMEOUT_MS = 2_000
const RETRY_BACKOFF: BackoffPolicy = { firstMs: 500, longestMs: 30_000 }

const unshipped = new Counter({
  name: 'log_lines_unshipped_total',
  help: 'Log lines that could not be shipped because the bus was unavailable or the buffer was full',
  registers: [metrics],
})

/**
 * Ships log lines to telemetry over the bus in batches. While the bus is unavailable they are buffered up to a limit.
 * Failures are not logged, since that would produce more lines.
 */
export class Shipper {
  readonly #openBus: () => Promise<Pick<Bus, 'publish'>>
  readonly #stopping = new AbortController()
  readonly #queue: Message[] = []
  #working: Promise<void> | undefined

  /** The bus connection is opened with the first line. */
  constructor(openBus: () => Promise<Pick<Bus, 'publish'>>) {
    this.#openBus = openBus
  }

  ship(line: ShippedLine): void {
    if (this.#queue.length >= MAX_QUEUED || this.#stopping.signal.aborted) {
      return unshipped.inc()
    }
    this.#queue.push(writeTask(line))
    this.#working ??= this.#work()
  }

  /** Ships buffered lines within a time limit. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const timer = new AbortController()
    await Promise.race([this.#working, sleep(STOP_TIMEOUT_MS, timer.signal)])
    timer.abort()
    unshipped.inc(this.#queue.length)
  }

  async #work(): Promise<void> {
    for (let failures = 0; this.#queue.length > 0;) {
      if (this.#queue.length < BATCH_SIZE) {
        await sleep(BATCH_DELAY_MS, this.#stopping.signal)
      }
      const unsent = await this.#publish(this.#queue.splice(0, BATCH_SIZE))
      this.#queue.unshift(...unsent)
      failures = unsent.length > 0 ? failures + 1 : 0
      if (failures > 0 && this.#stopping.signal.aborted) {
        break
      }
      if (failures > 0) {
        await sleep(jitteredBackoff(failures, RETRY_BACKOFF), this.#stopping.signal)
      }
    }
    this.#working = undefined
  }

  /** Returns the messages that the bus did not accept. */
  async #publish(messages: readonly Message[]): Promise<Message[]> {
    try {
      const bus = await this.#openBus()
      const results = await Promise.allSettled(
        messages.map((message) => bus.publish(message, message.id))
      )
      return messages.filter((_, index) => results[index]!.status === 'rejected')
    } catch {
      return [...messages]
    }
  }
}
