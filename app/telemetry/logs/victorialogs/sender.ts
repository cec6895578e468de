import { setTimeout as delay } from 'node:timers/promises'

import { jitteredBackoff } from '#kernel/backoff'
import { LogStoreAway, LogStoreOverrun } from '#telemetry/logs/errors'
import type { LogLine } from '#telemetry/logs/log_line'
import { logMetrics } from '#telemetry/logs/metrics'
import { NoAnswer } from './errors.js'
import { notShown } from './lookup.js'
import { sentLine, bytesOf, type SentLine } from './sent_line.js'
import type { VictoriaLogsServer } from './server.js'
import type { Timing } from './timing.js'

/** What one request carries, and what waits for one at most. */
const BATCH = { lines: 2_000, bytes: 2 * 1024 ** 2 }
const WAITING_BYTES = 32 * 1024 ** 2
const ATTEMPTS = 5
const BACK_OFF = { firstMs: 200, longestMs: 2_000 }

/** Lines that were handed in together. */
interface Handful {
  readonly lines: readonly SentLine[]
  readonly taken: PromiseWithResolvers<void>
  /** Whether they are handed in for the first time. */
  readonly isNew: boolean
}

/**
 * Brings lines to the server, those that come in about the same time in one request. There is one request at a time: what comes
 * in meanwhile waits, as much of it as there is room for.
 */
export class Sender {
  readonly #server: VictoriaLogsServer
  readonly #timing: Timing
  readonly #onTaken: (lines: readonly SentLine[]) => void
  readonly #waiting: Handful[] = []
  #waitingBytes = 0
  #working: Promise<void> | undefined

  constructor(
    server: VictoriaLogsServer,
    timing: Timing,
    onTaken: (lines: readonly SentLine[]) => void
  ) {
    this.#server = server
    this.#timing = timing
    this.#onTaken = onTaken
  }

  /** Resolves when the server has them in its memory; rejects where there is no room to wait, or the server stays away. */
  send(lines: readonly LogLine[]): Promise<void> {
    return this.#queue(lines.map(sentLine), true)
  }

  /** As `send`, for lines that somebody keeps already. */
  resend(lines: readonly SentLine[]): Promise<void> {
    return this.#queue(lines, false)
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#working
  }

  #queue(lines: readonly SentLine[], isNew: boolean): Promise<void> {
    const bytes = bytesOf(lines)
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > WAITING_BYTES) {
      return Promise.reject(new LogStoreOverrun())
    }
    const handful: Handful = { lines, isNew, taken: Promise.withResolvers() }
    this.#waiting.push(handful)
    this.#waitingBytes += bytes
    this.#working ??= this.#work()
    return handful.taken.promise
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#waitingBytes < BATCH.bytes) {
        await delay(this.#timing.gatherMs)
      }
      await this.#sendBatch(this.#nextBatch())
    }
    this.#working = undefined
  }

  #nextBatch(): Handful[] {
    const batch: Handful[] = []
    let [count, bytes] = [0, 0]
    do {
      const handful = this.#waiting.shift()!
      batch.push(handful)
      count += handful.lines.length
      bytes += bytesOf(handful.lines)
    } while (this.#waiting.length > 0 && count < BATCH.lines && bytes < BATCH.bytes)
    this.#waitingBytes -= bytes
    return batch
  }

  async #sendBatch(batch: readonly Handful[]): Promise<void> {
    const lines = batch.flatMap((handful) => handful.lines)
    try {
      await this.#persist(lines)
      logMetrics.written('victorialogs', lines.length)
      this.#onTaken(batch.filter(({ isNew }) => isNew).flatMap((handful) => handful.lines))
      batch.forEach(({ taken }) => taken.resolve())
    } catch (error) {
      // Those that wait would wait for as long again, each.
      const waiting = this.#waiting.splice(0)
      this.#waitingBytes = 0
      ;[...batch, ...waiting].forEach(({ taken }) => taken.reject(new LogStoreAway(error)))
    }
  }

  /** What may have arrived all the same is looked for before it is sent again. */
  async #persist(lines: readonly SentLine[]): Promise<void> {
    let missing = lines
    for (let failures = 1; missing.length > 0; failures++) {
      try {
        return await this.#server.insert(missing.map(({ text }) => text))
      } catch (error) {
        if (failures === ATTEMPTS) {
          throw error
        }
        await delay(jitteredBackoff(failures, BACK_OFF))
        if (error instanceof NoAnswer) {
          await delay(this.#timing.visibleMs)
          missing = await notShown(this.#server, missing).catch(() => missing)
        }
      }
    }
  }
}
