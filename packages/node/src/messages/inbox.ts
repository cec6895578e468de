import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { SingleFlight } from '#kernel/single_flight'
import { syncFolder } from '#kernel/sync_folder'

import { IncomingQueue } from './incoming_queue.js'
import { QUEUE_LIMITS, type QueueLimits } from './queue_limits.js'
import type { ReceivedMessage } from './receiver.js'

/** The reason for which an analysis fails if it accepts messages more slowly than they arrive. */
export const OVERFLOWED =
  'Messages were lost: more waited for the analysis than its node keeps. It has to take them faster'

/**
 * Received messages, on disk until their analysis has accepted them. Each analysis has its own queue, so that a blocked
 * analysis does not delay others.
 */
export class Inbox {
  readonly #folder: string
  readonly #limits: QueueLimits
  readonly #queues = new Map<string, IncomingQueue>()
  readonly #opening = new SingleFlight<string, IncomingQueue>()

  private constructor(folder: string, limits: QueueLimits) {
    this.#folder = folder
    this.#limits = limits
  }

  static async open(folder: string, limits = QUEUE_LIMITS): Promise<Inbox> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const inbox = new Inbox(folder, limits)
    for (const analysisId of await readdir(folder)) {
      const queue = await IncomingQueue.open(join(folder, analysisId), limits)
      inbox.#queues.set(analysisId, queue)
    }
    return inbox
  }

  /** The analyses with waiting messages. */
  get analysisIds(): readonly string[] {
    return [...this.#queues.keys()]
  }

  /** Returns true when the messages are on disk; false if too many wait already, which the queue records. */
  async add(analysisId: string, messages: readonly ReceivedMessage[]): Promise<boolean> {
    const queue = await this.#queueOf(analysisId)
    return queue.add(messages)
  }

  /** Delivers the messages of an analysis in order, and further ones as they arrive, until the signal aborts. */
  async handOut(
    analysisId: string,
    deliver: (message: ReceivedMessage) => Promise<void>,
    signal: AbortSignal
  ): Promise<void> {
    const queue = await this.#queueOf(analysisId)
    await queue.handOut(deliver, signal)
  }

  /** Whether messages of an analysis were lost, because too many waited for it. */
  hasOverflowed(analysisId: string): boolean {
    return this.#queues.get(analysisId)?.hasOverflowed ?? false
  }

  /** Removes the messages of an analysis, which has ended. */
  async remove(analysisId: string): Promise<void> {
    this.#queues.delete(analysisId)
    await rm(join(this.#folder, analysisId), { recursive: true, force: true })
  }

  /** Concurrent writers and readers share one queue. */
  async #queueOf(analysisId: string): Promise<IncomingQueue> {
    return (
      this.#queues.get(analysisId) ??
      this.#opening.run(analysisId, () => this.#openQueue(analysisId))
    )
  }

  async #openQueue(analysisId: string): Promise<IncomingQueue> {
    const path = join(this.#folder, analysisId)
    await mkdir(path, { mode: 0o700, recursive: true })
    await syncFolder(this.#folder)
    const queue = await IncomingQueue.open(path, this.#limits)
    this.#queues.set(analysisId, queue)
    return queue
  }
}
