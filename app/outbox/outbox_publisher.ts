import type { Logger } from '@adonisjs/core/logger'

import { AutoResetEvent } from '#kernel/auto_reset_event'
import type { Destination } from './destination.js'
import { DESTINATIONS, type Entry } from './entry.js'
import { EntryBuffer } from './entry_buffer.js'
import { Floor } from './floor.js'
import { Lane } from './lane.js'
import { relayMetrics } from './metrics.js'
import { BATCH, Reader } from './reader.js'
import type { OutboxStore, Selection } from './store.js'

/** The polling interval, since notifications may be lost. */
const POLL_MS = 500

/** The time that deliveries in flight get at shutdown. */
const DRAIN_TIMEOUT_MS = 2_000
const DRAIN_POLL_MS = 50

/** What a reader reads. */
type Scope = Pick<Selection, 'destinations' | 'queue' | 'exceptQueues'>

interface OutboxPublisherOptions {
  store: OutboxStore
  destinations: readonly Destination[]
  logger: Pick<Logger, 'warn' | 'info'>
}

/**
 * Publishes an outbox while its relay leads: reads entries in order and hands each to the lanes of its destinations.
 * Lanes that keep up read together. A stalled lane reads by itself, from its position, until it has caught up.
 */
export class OutboxPublisher {
  readonly #store: OutboxStore
  readonly #destinations: readonly Destination[]
  readonly #configured: number
  readonly #logger: OutboxPublisherOptions['logger']
  readonly #wakeup = new AutoResetEvent()
  readonly #floor = new Floor()
  readonly #buffer = new EntryBuffer()
  readonly #lanes = new Map<string, Lane>()
  readonly #shared = new Reader([])
  /** Of lanes that have stalled and not yet caught up. */
  readonly #lagging = new Map<Lane, Reader>()

  constructor({ store, destinations, logger }: OutboxPublisherOptions) {
    this.#store = store
    this.#logger = logger
    this.#destinations = destinations
    this.#configured = destinations.reduce((bits, { name }) => bits | DESTINATIONS[name], 0)
  }

  /** Announces new entries. */
  notify(): void {
    this.#shared.isUnread = true
    this.#wakeup.set()
  }

  /** Publishes until the signal aborts; throws if the database fails. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wakeup.set()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        await this.#round()
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  /** Waits for deliveries in flight and marks them. Late ones are sent again by the next leader. */
  async finish(): Promise<void> {
    const deadline = performance.now() + DRAIN_TIMEOUT_MS
    while ([...this.#shared.lanes].some(({ size }) => size > 0) && performance.now() < deadline) {
      await this.#wakeup.wait(DRAIN_POLL_MS)
      this.#separateStalledLanes()
    }
    this.#buffer.waitsForAll = false
    await this.#exchange()
  }

  /** Stops sending. */
  close(): void {
    this.#lanes.forEach((lane) => lane.close())
  }

  async #round(): Promise<void> {
    this.#separateStalledLanes()
    this.#buffer.waitsForAll = ![...this.#lagging.keys()].some(({ queue }) => queue === null)
    let hasWorked = await this.#advance(this.#shared, this.#sharedScope())
    for (const [lane, reader] of this.#lagging) {
      hasWorked = (await this.#catchUp(lane, reader)) || hasWorked
    }
    if (!hasWorked) {
      await this.#idle()
    }
  }

  async #idle(): Promise<void> {
    const now = performance.now()
    const readers = [this.#shared, ...this.#lagging.values()]
    const due = [this.#buffer, ...readers].flatMap((each) => each.dueInMs(now) ?? [])
    const wasSet = await this.#wakeup.wait(Math.min(POLL_MS, ...due))
    if (!wasSet && due.length === 0) {
      this.#shared.isUnread = true
    }
  }

  /** Reads and writes marks if either is due; returns whether it was. */
  async #advance(reader: Reader, scope: Scope): Promise<boolean> {
    const now = performance.now()
    if (reader.dueInMs(now) === 0) {
      await this.#read(reader, scope, now)
    } else if (this.#buffer.dueInMs(now) === 0) {
      await this.#exchange()
    } else {
      return false
    }
    return true
  }

  async #read(reader: Reader, scope: Scope, now: number): Promise<void> {
    if (this.#floor.isDue(now)) {
      this.#floor.sample(await this.#store.horizon(this.#floor.position), now)
    }
    const except = this.#buffer.positionsTakenFor(scope.destinations)
    reader.isUnread = false
    const selection = { ...scope, above: reader.floor, except, limit: BATCH }
    const entries = await this.#exchange(selection)
    reader.recordRead(entries, this.#floor.position, performance.now())
  }

  async #catchUp(lane: Lane, reader: Reader): Promise<boolean> {
    const canRead = !lane.isStalled(performance.now())
    reader.isUnread = canRead
    const { bit: destinations, queue } = lane
    const hasWorked = await this.#advance(reader, { destinations, queue, exceptQueues: [] })
    if (canRead && !reader.isUnread && !lane.isStalled(performance.now())) {
      this.#lagging.delete(lane)
      this.#shared.lanes.add(lane)
      this.#logger.info({ destination: lane.name }, 'a destination of the outbox has caught up')
    }
    return hasWorked
  }

  /** Writes the marks that are due and reads the selected entries, in one statement. */
  async #exchange(selection?: Selection): Promise<Entry[]> {
    const marks = this.#buffer.takeMarks()
    const entries = await this.#store.exchange(marks, selection)
    entries.forEach((entry) => this.#dispatch(entry, selection!.destinations))
    this.#buffer.remove(marks)
    return entries
  }

  #sharedScope(): Scope {
    const lagging = [...this.#lagging.keys()]
    const whole = lagging.filter(({ queue }) => queue === null)
    return {
      destinations: whole.reduce((bits, { bit }) => bits & ~bit, this.#configured),
      queue: null,
      exceptQueues: lagging.flatMap(({ queue }) => queue ?? []),
    }
  }

  #dispatch(entry: Entry, destinations: number): void {
    const pending = entry.pending & this.#configured
    const added = this.#buffer.take(entry.position, pending, destinations)
    this.#destinations
      .filter(({ name }) => (added & DESTINATIONS[name]) !== 0)
      .forEach((destination) => this.#lane(destination, entry.queue).add(entry))
  }

  #lane(destination: Destination, queue: string | null): Lane {
    const key = queue === null ? destination.name : `${destination.name} ${queue}`
    let lane = this.#lanes.get(key)
    if (!lane) {
      lane = new Lane(destination, queue, {
        onSettled: (settled, entry) => this.#settled(settled, entry),
        onFailure: (failed, error) => this.#failed(failed, error),
      })
      this.#lanes.set(key, lane)
      this.#shared.lanes.add(lane)
    }
    return lane
  }

  #settled(lane: Lane, { position }: Entry): void {
    relayMetrics.published(lane.name)
    if (this.#buffer.markReached(position, lane.bit, performance.now())) {
      this.#wakeup.set()
    }
  }

  #failed(lane: Lane, error: unknown): void {
    relayMetrics.failed(lane.name)
    this.#wakeup.set()
    if (!this.#lagging.has(lane)) {
      this.#logger.warn(
        { err: error, destination: lane.name },
        'a destination of the outbox is unavailable; its entries stay pending'
      )
    }
  }

  /** Stalled lanes read by themselves from now on, so that the others do not wait for them. */
  #separateStalledLanes(): void {
    const now = performance.now()
    for (const lane of this.#shared.lanes) {
      if (lane.isStalled(now)) {
        this.#shared.lanes.delete(lane)
        this.#lagging.set(lane, new Reader([lane]))
      }
    }
  }
}
