import type { Entry } from './entry.js'
import type { Lane } from './lane.js'

/** The batch size, and the time in which small batches accumulate. */
export const BATCH = 500
export const LINGER_MS = 20

/** A lane with more undelivered entries than this gets no more. */
const MAX_UNDELIVERED = 1_500

/** How far the outbox was read for some lanes. */
export class Reader {
  /** Positions up to this one need not be read again. */
  floor = 0
  /** Whether there may be unread entries. */
  isUnread = true
  readonly lanes: Set<Lane>
  #readAt = -Infinity

  constructor(lanes: readonly Lane[]) {
    this.lanes = new Set(lanes)
  }

  /** Milliseconds until the next read is due; undefined if nothing can be read now. */
  dueInMs(now: number): number | undefined {
    const isFull = [...this.lanes].some(({ size }) => size > MAX_UNDELIVERED)
    return this.isUnread && !isFull ? Math.max(0, this.#readAt + LINGER_MS - now) : undefined
  }

  /** Records a read; no entry can appear below the horizon any more. A full batch is followed by the next at once. */
  recordRead(entries: readonly Entry[], horizon: number, now: number): void {
    const isFull = entries.length === BATCH
    this.isUnread ||= isFull
    this.#readAt = isFull || entries.length === 0 ? -Infinity : now
    this.floor = Math.max(
      this.floor,
      Math.min(horizon, isFull ? entries.at(-1)!.position : Infinity)
    )
  }
}
