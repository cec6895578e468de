import type { Logger } from '@adonisjs/core/logger'

import { AutoResetEvent } from '#kernel/auto_reset_event'
import type { Destination } from './destination.js'
import { DESTINATIONS, type DestinationName, type Entry } from './entry.js'
import { Feed } from './feed.js'
import { Floor } from './floor.js'
import { Lane } from './lane.js'
import { relayMetrics } from './metrics.js'
import type { OutboxStore, Selection } from './store.js'

/** The polling interval, since notifications may be lost. */
const POLL_MS = 500

/** The time that deliveries in flight get at shutdown. */
const DRAIN_TIMEOUT_MS = 2_000
const DRAIN_POLL_MS = 50

interface OutboxPublisherOptions {
  store: OutboxStore
  destinations: readonly Destination[]
  logger: Pick<Logger, 'warn' | 'info'>
}

/**
 * Publishes an outbox while its relay leads: reads entries in order and hands each to the lanes of its destinations.
 * Lanes that keep up share one feed. A stalled lane gets a feed of its own, from its position, until it has caught up.
 */
export class OutboxPublisher {
  readonly #store: OutboxStore
  readonly #destinations: ReadonlyMap<DestinationName, Destination>
  readonly #configured: number
  readonly #logger: OutboxPublisherOptions['logger']
  readonly #wakeup = new AutoResetEvent()
  readonly #floor = new Floor()
  readonly #sharedFeed = new Feed()
  readonly #laneFeeds = new Map<Lane, Feed>()
  readonly #lanes = new Map<string, Lane>()
  #isNotified = false

  constructor({ store, destinations, logger }: OutboxPublisherOptions) {
    this.#store = store
    this.#logger = logger
    this.#destinations = new Map(destinations.map((each) => [each.name, each]))
    this.#configured = destinations.reduce((bits, { name }) => bits | DESTINATIONS[name], 0)
  }

  /** Announces new entries. */
  notify(): void {
    this.#isNotified = true
    this.#wakeup.set()
  }

  /** Publishes until the signal aborts; throws if the database fails. */
  async run(signal: AbortSignal): Promise<void> {
    const notify = () => this.#wakeup.set()
    signal.addEventListener('abort', notify)
    try {
      while (!signal.aborted) {
        await this.#round()
      }
    } finally {
      signal.removeEventListener('abort', notify)
    }
  }

  /** Waits for deliveries in flight and marks them. Late ones are sent again by the next leader. */
  async finish(): Promise<void> {
    const deadline = performance.now() + DRAIN_TIMEOUT_MS
    while (!this.#sharedFeed.isIdle && performance.now() < deadline) {
      await this.#wakeup.wait(DRAIN_POLL_MS)
      this.#detachStalledLanes()
    }
    for (const feed of [this.#sharedFeed, ...this.#laneFeeds.values()]) {
      await this.#store.exchange(feed.takeFinished(), undefined)
    }
  }

  /** Stops sending. */
  close(): void {
    this.#lanes.forEach((lane) => lane.close())
  }

  async #round(): Promise<void> {
    this.#detachStalledLanes()
    let hasWorked = await this.#readShared()
    for (const [lane, feed] of this.#laneFeeds) {
      hasWorked = (await this.#readForLane(lane, feed)) || hasWorked
    }
    if (!hasWorked) {
      await this.#idle()
    }
  }

  async #idle(): Promise<void> {
    const feeds = [this.#sharedFeed, ...this.#laneFeeds.values()]
    const lingering = feeds.flatMap(({ nextExchangeInMs: lingersForMs }) => lingersForMs ?? [])
    const wasSet = await this.#wakeup.wait(Math.min(POLL_MS, ...lingering))
    if (!wasSet && lingering.length === 0) {
      this.#isNotified = true
    }
  }

  async #readShared(): Promise<boolean> {
    if (this.#isNotified) {
      this.#isNotified = false
      this.#sharedFeed.isUnread = true
    }
    const selection = this.#sharedSelection()
    const entries = await this.#exchange(this.#sharedFeed, selection)
    entries?.forEach((entry) => this.#dispatch(entry))
    return entries !== undefined
  }

  async #readForLane(lane: Lane, feed: Feed): Promise<boolean> {
    const isStalled = lane.isStalled(performance.now())
    feed.isUnread = !isStalled
    const selection = isStalled ? undefined : this.#laneSelection(lane, feed)
    const entries = await this.#exchange(feed, selection)
    entries?.forEach((entry) => {
      feed.track(entry, lane.bit)
      lane.add(entry)
    })
    if (selection && !feed.isUnread && !lane.isStalled(performance.now())) {
      this.#reattach(lane, feed)
    }
    return entries !== undefined
  }

  /** Marks and reads entries of a feed in one statement; undefined if neither is due. */
  async #exchange(feed: Feed, selection: Selection | undefined): Promise<Entry[] | undefined> {
    if (!selection && !feed.isFlushDue(performance.now())) {
      return undefined
    }
    if (selection && this.#floor.isDue(performance.now())) {
      this.#floor.sample(await this.#store.horizon(), performance.now())
    }
    const entries = await this.#store.exchange(feed.takeFinished(), selection)
    if (selection) {
      feed.recordRead(entries.length, selection.limit, performance.now())
      const upTo = feed.isUnread ? entries.at(-1)!.position : Infinity
      feed.floor = Math.max(feed.floor, Math.min(this.#floor.position, upTo))
    }
    return entries.map((entry) => ({ ...entry, pending: entry.pending & this.#configured }))
  }

  #sharedSelection(): Selection | undefined {
    const limit = this.#sharedFeed.nextBatchSize(performance.now())
    if (limit === 0) {
      return undefined
    }
    const lagging = [...this.#laneFeeds.keys()]
    const whole = lagging.filter(({ queue }) => queue === null)
    return {
      destinations: whole.reduce((bits, { bit }) => bits & ~bit, this.#configured),
      exceptQueues: lagging.flatMap(({ queue }) => queue ?? []),
      above: this.#sharedFeed.floor,
      except: this.#sharedFeed.readPositions,
      limit,
    }
  }

  #laneSelection({ bit, queue }: Lane, feed: Feed): Selection | undefined {
    const limit = feed.nextBatchSize(performance.now())
    if (limit === 0) {
      return undefined
    }
    return {
      destinations: bit,
      ...(queue !== null && { queue }),
      exceptQueues: [],
      above: feed.floor,
      except: feed.readPositions,
      limit,
    }
  }

  #dispatch(entry: Entry): void {
    const lanes = this.#lanesTo(this.#sharedFeed.pendingDestinations(entry), entry.queue).filter(
      (lane) => !this.#laneFeeds.has(lane)
    )
    this.#sharedFeed.track(
      entry,
      lanes.reduce((bits, { bit }) => bits | bit, 0)
    )
    lanes.forEach((lane) => lane.add(entry))
  }

  #lanesTo(destinations: number, queue: string | null): Lane[] {
    return [...this.#destinations.values()]
      .filter(({ name }) => (destinations & DESTINATIONS[name]) !== 0)
      .map((destination) => this.#lane(destination, queue))
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
    }
    return lane
  }

  #settled(lane: Lane, { position }: Entry): void {
    const feed = this.#laneFeeds.get(lane) ?? this.#sharedFeed
    feed.markReached(position, lane.bit)
    relayMetrics.published(lane.name)
    if (feed.isFirstFinished || feed.isFlushDue(performance.now())) {
      this.#wakeup.set()
    }
  }

  #failed(lane: Lane, error: unknown): void {
    relayMetrics.failed(lane.name)
    this.#wakeup.set()
    if (!this.#laneFeeds.has(lane)) {
      this.#logger.warn(
        { err: error, destination: lane.name },
        'a destination of the outbox is unavailable; its entries stay pending'
      )
    }
  }

  /** Moves stalled lanes and their undelivered entries from the shared feed to feeds of their own. */
  #detachStalledLanes(): void {
    const now = performance.now()
    for (const lane of this.#lanes.values()) {
      if (!this.#laneFeeds.has(lane) && lane.isStalled(now)) {
        const feed = new Feed()
        // Marks earlier deliveries first: if a later entry of a record were marked before them, they would be sent
        // again after it.
        feed.addFinished(this.#sharedFeed.reachedBy(lane.bit))
        for (const entry of lane.entries) {
          feed.track(entry, lane.bit)
          this.#sharedFeed.release(entry.position, lane.bit)
        }
        this.#laneFeeds.set(lane, feed)
      }
    }
  }

  /** Returns a lane that has been handed all its entries to the shared feed. */
  #reattach(lane: Lane, feed: Feed): void {
    for (const entry of lane.entries) {
      this.#sharedFeed.adopt(entry, lane.bit)
    }
    this.#sharedFeed.addFinished(feed.takeFinished())
    this.#laneFeeds.delete(lane)
    this.#logger.info({ destination: lane.name }, 'a destination of the outbox has caught up')
  }
}
