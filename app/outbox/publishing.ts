import type { Logger } from '@adonisjs/core/logger'

import { AutoResetEvent } from '#kernel/auto_reset_event'
import type { Destination } from './destination.js'
import { DESTINATIONS, type DestinationName, type Entry } from './entry.js'
import { Feed } from './feed.js'
import { Floor } from './floor.js'
import { Lane } from './lane.js'
import { relayMetrics } from './metrics.js'
import type { OutboxStore, Selection } from './store.js'

/** How often it looks by itself, for wakeups may be lost. */
const POLL_MS = 500

/** How long what is under way gets at the end. */
const LAST_WAIT_MS = 2_000
const LAST_LOOK_MS = 50

interface PublishingOptions {
  store: OutboxStore
  destinations: readonly Destination[]
  logger: Pick<Logger, 'warn' | 'info'>
}

/**
 * What a relay does while it leads: reads entries in order and hands each to all of its destinations. Those that keep up are
 * fed together. One that lags is fed apart, from where it stands, until it has caught up.
 */
export class Publishing {
  readonly #store: OutboxStore
  readonly #destinations: ReadonlyMap<DestinationName, Destination>
  readonly #configured: number
  readonly #logger: PublishingOptions['logger']
  readonly #wakeup = new AutoResetEvent()
  readonly #floor = new Floor()
  readonly #together = new Feed()
  readonly #apart = new Map<Lane, Feed>()
  readonly #lanes = new Map<string, Lane>()
  #isWanted = false

  constructor({ store, destinations, logger }: PublishingOptions) {
    this.#store = store
    this.#logger = logger
    this.#destinations = new Map(destinations.map((each) => [each.name, each]))
    this.#configured = destinations.reduce((bits, { name }) => bits | DESTINATIONS[name], 0)
  }

  /** Something was written. */
  wake(): void {
    this.#isWanted = true
    this.#wakeup.set()
  }

  /** Publishes until the signal ends it, or throws where the database does. */
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

  /** Gives what is under way a while to arrive, and marks what did. What comes back later is sent again by the next leader. */
  async finish(): Promise<void> {
    const deadline = performance.now() + LAST_WAIT_MS
    while (!this.#together.isIdle && performance.now() < deadline) {
      await this.#wakeup.wait(LAST_LOOK_MS)
      this.#separate()
    }
    for (const feed of [this.#together, ...this.#apart.values()]) {
      await this.#store.turn(feed.takeFinished(), undefined)
    }
  }

  /** Sends nothing any more. */
  close(): void {
    this.#lanes.forEach((lane) => lane.close())
  }

  async #round(): Promise<void> {
    this.#separate()
    let hasWorked = await this.#feedTogether()
    for (const [lane, feed] of this.#apart) {
      hasWorked = (await this.#feedApart(lane, feed)) || hasWorked
    }
    if (!hasWorked) {
      await this.#idle()
    }
  }

  async #idle(): Promise<void> {
    const feeds = [this.#together, ...this.#apart.values()]
    const lingering = feeds.flatMap(({ lingersForMs }) => lingersForMs ?? [])
    const wasSet = await this.#wakeup.wait(Math.min(POLL_MS, ...lingering))
    if (!wasSet && lingering.length === 0) {
      this.#isWanted = true
    }
  }

  async #feedTogether(): Promise<boolean> {
    if (this.#isWanted) {
      this.#isWanted = false
      this.#together.isUnread = true
    }
    const selection = this.#selectionTogether()
    const entries = await this.#turn(this.#together, selection)
    entries?.forEach((entry) => this.#dispatch(entry))
    return entries !== undefined
  }

  async #feedApart(lane: Lane, feed: Feed): Promise<boolean> {
    const isStalled = lane.isStalled(performance.now())
    feed.isUnread = !isStalled
    const selection = isStalled ? undefined : this.#selectionApart(lane, feed)
    const entries = await this.#turn(feed, selection)
    entries?.forEach((entry) => {
      feed.hold(entry, lane.bit)
      lane.add(entry)
    })
    if (selection && !feed.isUnread && !lane.isStalled(performance.now())) {
      this.#unite(lane, feed)
    }
    return entries !== undefined
  }

  /** One exchange with the database for a feed; undefined where there is nothing to exchange. */
  async #turn(feed: Feed, selection: Selection | undefined): Promise<Entry[] | undefined> {
    if (!selection && !feed.isRipe(performance.now())) {
      return undefined
    }
    if (selection && this.#floor.isDue(performance.now())) {
      this.#floor.sample(await this.#store.horizon(), performance.now())
    }
    const entries = await this.#store.turn(feed.takeFinished(), selection)
    if (selection) {
      feed.noteRead(entries.length, selection.limit, performance.now())
      const upTo = feed.isUnread ? entries.at(-1)!.position : Infinity
      feed.floor = Math.max(feed.floor, Math.min(this.#floor.known, upTo))
    }
    return entries.map((entry) => ({ ...entry, pending: entry.pending & this.#configured }))
  }

  #selectionTogether(): Selection | undefined {
    const limit = this.#together.appetite(performance.now())
    if (limit === 0) {
      return undefined
    }
    const lagging = [...this.#apart.keys()]
    const whole = lagging.filter(({ queue }) => queue === null)
    return {
      destinations: whole.reduce((bits, { bit }) => bits & ~bit, this.#configured),
      exceptQueues: lagging.flatMap(({ queue }) => queue ?? []),
      above: this.#together.floor,
      except: this.#together.known,
      limit,
    }
  }

  #selectionApart({ bit, queue }: Lane, feed: Feed): Selection | undefined {
    const limit = feed.appetite(performance.now())
    if (limit === 0) {
      return undefined
    }
    return {
      destinations: bit,
      ...(queue !== null && { queue }),
      exceptQueues: [],
      above: feed.floor,
      except: feed.known,
      limit,
    }
  }

  #dispatch(entry: Entry): void {
    const lanes = this.#lanesTo(this.#together.destinationsLeft(entry), entry.queue).filter(
      (lane) => !this.#apart.has(lane)
    )
    this.#together.hold(
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
    const feed = this.#apart.get(lane) ?? this.#together
    feed.reached(position, lane.bit)
    relayMetrics.published(lane.name)
    if (feed.isFirstThrough || feed.isRipe(performance.now())) {
      this.#wakeup.set()
    }
  }

  #failed(lane: Lane, error: unknown): void {
    relayMetrics.failed(lane.name)
    this.#wakeup.set()
    if (!this.#apart.has(lane)) {
      this.#logger.warn(
        { err: error, destination: lane.name },
        'a destination of the outbox does not take entries; they are kept until it does'
      )
    }
  }

  /** Takes those lanes out that should not be waited for, with what they have not brought there. */
  #separate(): void {
    const now = performance.now()
    for (const lane of this.#lanes.values()) {
      if (!this.#apart.has(lane) && lane.isStalled(now)) {
        const feed = new Feed()
        // An earlier entry of a record must not lack its mark when a later one has it: it would be sent again, after that.
        feed.addFinished(this.#together.reachedBy(lane.bit))
        for (const entry of lane.entries) {
          feed.hold(entry, lane.bit)
          this.#together.release(entry.position, lane.bit)
        }
        this.#apart.set(lane, feed)
      }
    }
  }

  /** Takes a lane back that has been handed everything there is for it. */
  #unite(lane: Lane, feed: Feed): void {
    for (const entry of lane.entries) {
      this.#together.adopt(entry, lane.bit)
    }
    this.#together.addFinished(feed.takeFinished())
    this.#apart.delete(lane)
    this.#logger.info({ destination: lane.name }, 'a destination of the outbox has caught up')
  }
}
