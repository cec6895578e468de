import { Counter } from 'prom-client'

import type { Bus } from '#bus/bus'
import type { Message } from '#bus/message'
import { pause, pauseAfter, type BackOff } from '#kernel/back_off'
import { metrics } from '#observability/metrics'
import { writeTask, type ShippedLine } from './log_task.js'

const GATHERED_FOR_MS = 500
const SENT_AT_ONCE = 500
const WAITING_MOST = 10_000
const LAST_MS = 2_000
const AWAY: BackOff = { firstMs: 500, longestMs: 30_000 }

const unshipped = new Counter({
  name: 'log_lines_unshipped_total',
  help: 'Lines of the own log that did not reach the bus, since it was away for too long or too many came in',
  registers: [metrics],
})

/**
 * Brings lines of the own log to telemetry by way of the bus, some at a time. While the bus is away they wait, as many as there
 * is room for; nothing is said of that in the log, which would make more of them.
 */
export class Shipper {
  readonly #openBus: () => Promise<Pick<Bus, 'publish'>>
  readonly #stopping = new AbortController()
  readonly #waiting: Message[] = []
  #working: Promise<void> | undefined

  /** The bus is opened with the first line: a process that has none to ship may do without. */
  constructor(openBus: () => Promise<Pick<Bus, 'publish'>>) {
    this.#openBus = openBus
  }

  ship(line: ShippedLine): void {
    if (this.#waiting.length >= WAITING_MOST || this.#stopping.signal.aborted) {
      return unshipped.inc()
    }
    this.#waiting.push(writeTask(line))
    this.#working ??= this.#work()
  }

  /** Ships what waits, as far as there is time. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const timer = new AbortController()
    await Promise.race([this.#working, pause(LAST_MS, timer.signal)])
    timer.abort()
    unshipped.inc(this.#waiting.length)
  }

  async #work(): Promise<void> {
    for (let failures = 0; this.#waiting.length > 0;) {
      if (this.#waiting.length < SENT_AT_ONCE) {
        await pause(GATHERED_FOR_MS, this.#stopping.signal)
      }
      const left = await this.#publish(this.#waiting.splice(0, SENT_AT_ONCE))
      this.#waiting.unshift(...left)
      failures = left.length > 0 ? failures + 1 : 0
      if (failures > 0 && this.#stopping.signal.aborted) {
        break
      }
      if (failures > 0) {
        await pause(pauseAfter(failures, AWAY), this.#stopping.signal)
      }
    }
    this.#working = undefined
  }

  /** Answers those that the bus did not take. */
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
