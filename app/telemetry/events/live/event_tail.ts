import { setTimeout as delay } from 'node:timers/promises'

import type { DatabasePool } from '#database/database_pool'
import { AutoResetEvent } from '#kernel/auto_reset_event'
import type { Signals } from '#signals/signals'
import type { StreamedRecord } from '#auth/record_stream'
import { findBatchesAfter, currentPosition, type EventBatch } from './event_batches.js'
import type { Position } from './position.js'
import { EVENTS_TOPIC } from './append_notifications.js'

/** Wakes can get lost with the process that would have sent them. */
const POLL_MS = 5_000
/** While events come in all the time, a follower asks the database no more often than this. */
const BATCH_MS = 50

interface TailRequest {
  /** The chains that are followed; undefined for all of them. */
  readonly chains: readonly string[] | undefined
  /** Where to begin; undefined for now. */
  readonly from: Position | undefined
  readonly signal: AbortSignal
  /** What is to be told of some events, by their ids. */
  readonly read: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/**
 * Events as they are sealed, whichever process it was that kept them.
 */
export class EventTail {
  readonly #pool: DatabasePool
  readonly #signals: Signals

  constructor(pool: DatabasePool, signals: Signals) {
    this.#pool = pool
    this.#signals = signals
  }

  /** What is kept once this has resolved is part of it. */
  async open(request: TailRequest): Promise<AsyncIterable<StreamedRecord>> {
    const position = request.from ?? (await currentPosition(this.#pool, request.chains))
    return this.#eventsFrom(position, request)
  }

  async *#eventsFrom(
    position: Position,
    { chains, signal, read }: TailRequest
  ): AsyncGenerator<StreamedRecord> {
    const wakeup = new AutoResetEvent()
    const wake = () => wakeup.set()
    signal.addEventListener('abort', wake, { once: true })
    const stop = await this.#signals.onNotification(EVENTS_TOPIC, wake)
    try {
      while (!signal.aborted) {
        const batches = await findBatchesAfter(this.#pool, position, chains)
        yield* eventsIn(batches, position, await read(idsOf(batches)))
        await (batches.length === 0 ? wakeup.wait(POLL_MS) : delay(BATCH_MS))
      }
    } finally {
      signal.removeEventListener('abort', wake)
      await stop()
    }
  }
}

const idsOf = (batches: readonly EventBatch[]) => batches.flatMap(({ ids }) => ids)

function* eventsIn(
  batches: readonly EventBatch[],
  position: Position,
  records: ReadonlyMap<string, string>
): Generator<StreamedRecord> {
  for (const { chain, number, ids } of batches) {
    for (const id of ids.slice(position.offsetIn(chain))) {
      position.advance(chain)
      const record = records.get(id)
      if (record !== undefined) {
        yield { record, cursor: position.text }
      }
    }
    position.advanceBatch(chain, number)
  }
}
