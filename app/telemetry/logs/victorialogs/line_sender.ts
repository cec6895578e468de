import { setTimeout as delay } from 'node:timers/promises'

import { jitteredBackoff } from '#kernel/backoff'
import { LogStoreUnavailable, LogStoreOverrun } from '#telemetry/logs/errors'
import type { LogLine } from '#telemetry/logs/log_line'
import { logMetrics } from '#telemetry/logs/metrics'
import { NoResponse } from './errors.js'
import { findInvisible } from './lookup.js'
import { sentLine, bytesOf, type SentLine } from './sent_line.js'
import type { VictoriaLogsServer } from './server.js'
import type { Timing } from './timing.js'

/** Limits of a request, and of the queue. */
const MAX_BATCH = { lines: 2_000, bytes: 2 * 1024 ** 2 }
const MAX_PENDING_BYTES = 32 * 1024 ** 2
const ATTEMPTS = 5
const BACK_OFF = { firstMs: 200, longestMs: 2_000 }

/** Lines of one call. */
interface LineBatch {
  readonly lines: readonly SentLine[]
  readonly accepted: PromiseWithResolvers<void>
  /** Whether they are sent for the first time. */
  readonly isNew: boolean
}

/**
 * Sends lines to the server, batching concurrent writes. There is one request at a time; other lines wait in a
 * bounded queue.
 */
export class LineSender {
  readonly #server: VictoriaLogsServer
  readonly #timing: Timing
  readonly #onAccepted: (lines: readonly SentLine[]) => void
  readonly #pending: LineBatch[] = []
  #pendingBytes = 0
  #running: Promise<void> | undefined

  constructor(
    server: VictoriaLogsServer,
    timing: Timing,
    onAccepted: (lines: readonly SentLine[]) => void
  ) {
    this.#server = server
    this.#timing = timing
    this.#onAccepted = onAccepted
  }

  /**
   * Resolves when the server has the lines in memory. Rejects if the queue is full or the server stays unavailable.
   */
  send(lines: readonly LogLine[]): Promise<void> {
    return this.#enqueue(lines.map(sentLine), true)
  }

  /** Like `send`, for lines that are already retained. */
  resend(lines: readonly SentLine[]): Promise<void> {
    return this.#enqueue(lines, false)
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    await this.#running
  }

  #enqueue(lines: readonly SentLine[], isNew: boolean): Promise<void> {
    const bytes = bytesOf(lines)
    if (this.#pendingBytes > 0 && this.#pendingBytes + bytes > MAX_PENDING_BYTES) {
      return Promise.reject(new LogStoreOverrun())
    }
    const entry: LineBatch = { lines, isNew, accepted: Promise.withResolvers() }
    this.#pending.push(entry)
    this.#pendingBytes += bytes
    this.#running ??= this.#run()
    return entry.accepted.promise
  }

  async #run(): Promise<void> {
    while (this.#pending.length > 0) {
      if (this.#pendingBytes < MAX_BATCH.bytes) {
        await delay(this.#timing.gatherMs)
      }
      await this.#sendBatch(this.#nextBatch())
    }
    this.#running = undefined
  }

  #nextBatch(): LineBatch[] {
    const batch: LineBatch[] = []
    let [count, bytes] = [0, 0]
    do {
      const entry = this.#pending.shift()!
      batch.push(entry)
      count += entry.lines.length
      bytes += bytesOf(entry.lines)
    } while (this.#pending.length > 0 && count < MAX_BATCH.lines && bytes < MAX_BATCH.bytes)
    this.#pendingBytes -= bytes
    return batch
  }

  async #sendBatch(batch: readonly LineBatch[]): Promise<void> {
    const lines = batch.flatMap((entry) => entry.lines)
    try {
      await this.#persist(lines)
      logMetrics.written('victorialogs', lines.length)
      this.#onAccepted(batch.filter(({ isNew }) => isNew).flatMap((entry) => entry.lines))
      batch.forEach(({ accepted }) => accepted.resolve())
    } catch (error) {
      // Queued lines would each wait as long again.
      const pending = this.#pending.splice(0)
      this.#pendingBytes = 0
      ;[...batch, ...pending].forEach(({ accepted }) =>
        accepted.reject(new LogStoreUnavailable(error))
      )
    }
  }

  /** Retries. After a lost response, looks up which lines arrived before sending again. */
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
        if (error instanceof NoResponse) {
          await delay(this.#timing.visibleMs)
          missing = await findInvisible(this.#server, missing).catch(() => missing)
        }
      }
    }
  }
}
