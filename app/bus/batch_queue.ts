import type { BatchMember } from './batch_runner.js'

/** Limits the size of a batch in bytes. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024

/** While one batch of a type is written, the next one is already sent. */
const CONCURRENT_BATCHES = 2

const NOTHING_EARLIER = Promise.resolve()

/** Settles the members of a batch, but reports no outcome before `earlier` ones. Never rejects. */
export type HandleBatch = (batch: readonly BatchMember[], earlier: Promise<void>) => Promise<void>

/**
 * Batches the messages about one record or of one type: those that arrive while the previous batch is handled, or
 * within the linger time.
 */
export class BatchQueue {
  readonly #handle: HandleBatch
  readonly #onEmpty: () => void
  readonly #pending: BatchMember[] = []
  readonly #earlier: Promise<unknown> | undefined
  #bytes = 0
  #active = 0
  /** Outcomes are reported in the order of the batches, so that the broker gets one acknowledgement for each batch. */
  #reported = NOTHING_EARLIER
  #timer: NodeJS.Timeout | undefined

  /** The first batch is handled after `earlier`. */
  constructor(handle: HandleBatch, onEmpty: () => void, earlier?: Promise<unknown>) {
    this.#handle = handle
    this.#onEmpty = onEmpty
    this.#earlier = earlier
  }

  add(member: BatchMember): void {
    this.#pending.push(member)
    this.#bytes += member.delivery.bytes.length
    const { by, lingerMs = 0 } = member.handler.batch
    if (this.#active === 0 && by === 'record') {
      void this.#handleBatches()
    } else if (by === 'type' && this.#isFull && this.#active < CONCURRENT_BATCHES) {
      void this.#handleBatches()
    } else if (this.#active === 0) {
      this.#timer ??= setTimeout(() => void this.#handleBatches(), lingerMs)
    }
  }

  get #isFull(): boolean {
    const [first] = this.#pending
    return (
      first !== undefined &&
      (this.#pending.length >= first.handler.batch.maxSize || this.#bytes >= MAX_BATCH_BYTES)
    )
  }

  /** While another batch is active, only full batches start; slow arrivals accumulate. */
  async #handleBatches(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#active++
    if (this.#earlier) {
      await this.#earlier
    }
    while (this.#isFull || (this.#active === 1 && this.#pending.length > 0)) {
      const handled = this.#handle(this.#take(), this.#reported)
      this.#reported = handled
      await handled
    }
    if (--this.#active === 0) {
      this.#onEmpty()
    }
  }

  /** The first messages, as far as they have the same handler. */
  #take(): BatchMember[] {
    const { handler } = this.#pending[0]!
    let count = 0
    let bytes = 0
    for (const member of this.#pending) {
      if (
        count === handler.batch.maxSize ||
        bytes >= MAX_BATCH_BYTES ||
        member.handler !== handler
      ) {
        break
      }
      count++
      bytes += member.delivery.bytes.length
    }
    this.#bytes -= bytes
    return this.#pending.splice(0, count)
  }
}
