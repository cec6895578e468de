import { setTimeout as delay } from 'node:timers/promises'

import { inject } from '@adonisjs/core'

import { AutoResetEvent } from '#kernel/auto_reset_event'
import { Signals } from '#signals/signals'
import type { RecordStream, StreamedRecord } from '#auth/record_stream'
import { telemetryPool } from '#telemetry/database'
import { findBatchesAfter, currentPosition, type EventBatch } from './event_batches.js'
import type { Position } from './position.js'
import { EVENTS_TOPIC } from './append_notifications.js'

/** A notification is lost if its process dies before sending it. */
const POLL_MS = 5_000
/** The minimum time between two reads of a stream while events arrive continuously. */
const BATCH_MS = 50

interface TailRequest {
  /** The chains to read; undefined for all of them. */
  readonly chains: readonly string[] | undefined
  /** The position to start after; undefined for the current end. */
  readonly from: Position | undefined
  readonly signal: AbortSignal
  /** Reads the events with these ids. */
  readonly read: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** Streams events as any process seals them. */
@inject()
export class EventTail {
  readonly #pool = telemetryPool()
  readonly #signals: Signals

  constructor(signals: Signals) {
    this.#signals = signals
  }

  /** The stream contains every event that is stored after this resolves. */
  async open(request: TailRequest): Promise<RecordStream> {
    const position = request.from ?? (await currentPosition(this.#pool, request.chains))
    return this.#eventsFrom(position, request)
  }

  async *#eventsFrom(position: Position, { chains, signal, read }: TailRequest): RecordStream {
    yield { cursor: position.text }
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
