import { setTimeout as delay } from 'node:timers/promises'

import { eventually } from '#tests/helpers/eventually'
import { Installation } from './installation.js'
import { Journal, type StoredRecord } from './journal.js'
import { judge } from './judge.js'
import { Observer } from './observer.js'
import { remainingIn } from './queues.js'
import { Stream } from './stream.js'

/** Additional time at the end, to distinguish late events from lost ones. */
const TIMEOUT_MS = 60_000
const POLL_INTERVAL_MS = 100
const MOST_SUCCESSORS = 3

interface Parts {
  readonly installation: Installation
  readonly journal: Journal
  readonly observer: Observer
  readonly stream: Stream
}

interface Settling {
  readonly milliseconds: number
  /** What had not arrived; empty if everything had. */
  readonly late: string[]
}

/**
 * An installation with a stream of changes, a consumer that follows them on the bus, and the truth to compare with.
 */
export class Scene {
  readonly installation: Installation
  readonly stream: Stream
  readonly #journal: Journal
  readonly #observer: Observer
  /** The number in the journal up to which everything has arrived. */
  #settled = 0

  readonly #cleanup: AsyncDisposableStack

  static async open({ pauseMs }: { pauseMs: number }): Promise<Scene> {
    await using cleanup = new AsyncDisposableStack()
    const installation = await Installation.start()
    cleanup.defer(() => installation.stop())
    const { broker, database } = installation.servers
    const journal = await Journal.open(database.url)
    cleanup.defer(() => journal.close())
    await installation.revive('jobs')
    const observer = await Observer.start(broker.url)
    cleanup.defer(() => observer.close())
    const stream = await Stream.start({ origin: installation.origin, journal, pauseMs })
    cleanup.defer(() => stream.stop())
    return new Scene({ installation, journal, observer, stream }, cleanup.move())
  }

  private constructor(parts: Parts, cleanup: AsyncDisposableStack) {
    this.installation = parts.installation
    this.stream = parts.stream
    this.#journal = parts.journal
    this.#observer = parts.observer
    this.#cleanup = cleanup
  }

  /** Waits, within a limit, until everything committed so far has arrived everywhere. */
  async settle(withinMs: number): Promise<Settling> {
    const startedAt = performance.now()
    const now = new Date()
    const changes = (await this.#journal.stored()).filter(({ number }) => number > this.#settled)
    let late = await this.#late(changes, now)
    while (late.length > 0 && performance.now() - startedAt < withinMs) {
      await delay(POLL_INTERVAL_MS)
      late = await this.#late(changes, now)
    }
    if (late.length === 0) {
      this.#settled = changes.at(-1)?.number ?? this.#settled
    }
    return { milliseconds: Math.round(performance.now() - startedAt), late }
  }

  /** Ends the stream and lists its problems. */
  async verdict(): Promise<string[]> {
    await this.stream.stop()
    const { late } = await this.settle(TIMEOUT_MS)
    const remaining = await this.#leftBehind()
    const { promised, surprises } = this.stream
    const { heard: observed } = this.#observer
    const [stored, audited] = await Promise.all([this.#journal.stored(), this.#journal.audited()])
    return [
      ...surprises,
      ...late,
      ...remaining,
      ...judge({ kept: stored, promised, heard: observed, audited }),
    ]
  }

  /** Ends all of it, and leaves nothing behind. */
  async close(): Promise<void> {
    await this.#cleanup.disposeAsync()
  }

  /**
   * What is in queues when nobody works on them any more. A process that ends gives back what it had not begun, such as what was
   * delivered twice; another one has to finish that.
   */
  async #leftBehind(): Promise<string[]> {
    const { installation } = this
    const poll = () => remainingIn(installation.servers.broker.url)
    for (let successors = 0; ; successors++) {
      await installation.retire()
      const remaining = await poll()
      if (remaining.length === 0 || successors === MOST_SUCCESSORS) {
        return remaining
      }
      await installation.kill('jobs')
      await installation.revive('jobs')
      await eventually(async () => (await poll()).length === 0, TIMEOUT_MS)
    }
  }

  async #late(changes: readonly StoredRecord[], now: Date): Promise<string[]> {
    const unheard = changes.filter((change) => {
      return change.kind === 'node' && !this.#observer.hasObserved(change)
    })
    const [from, to] = [this.#settled, changes.at(-1)?.number ?? this.#settled]
    const counts = {
      'in the outbox': await this.#journal.waiting(now),
      'not heard of on the bus': unheard.length,
      'not in the audit trail': await this.#journal.unaudited(from, to),
    }
    return Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([where, count]) => `${count} still ${where}`)
  }
}
