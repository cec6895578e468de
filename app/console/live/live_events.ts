import { setTimeout as delay } from 'node:timers/promises'

import { AutoResetEvent } from '#kernel/auto_reset_event'
import type { ServerSentEvent } from '#http/event_stream'
import { ChangeSocket, type Subscription } from './change_socket.js'
import { concerns, type Topic } from './topic.js'

/** Changes within this time are sent as one event. */
const GATHER_MS = 1_000
const MINUTE_MS = 60_000

interface LiveOptions {
  /** The address of core. */
  readonly url: string
  readonly token: string
  readonly topics: readonly Topic[]
  readonly signal: AbortSignal
}

/**
 * Notifies a page of changed records: `ready` after all subscriptions, with whether the user may subscribe to all
 * topics, then `change` with the changed topics. Ends with the connection to core; `unavailable` if it could not be
 * opened.
 */
export async function* liveEvents(options: LiveOptions): AsyncGenerator<ServerSentEvent> {
  const feed = new ChangeFeed(options)
  try {
    yield* feed.events(options.signal)
  } finally {
    feed.close()
  }
}

/** Collects the changes for one page. */
class ChangeFeed {
  readonly #topics: readonly Topic[]
  readonly #socket: ChangeSocket
  readonly #wakeup = new AutoResetEvent()
  readonly #changed = new Set<string>()
  #refused: number | undefined
  #hasClosed = false

  constructor({ url, token, topics, signal }: LiveOptions) {
    this.#topics = topics
    this.#socket = new ChangeSocket({
      url,
      token,
      subscriptions: subscriptionsOf(topics),
      onReady: (refused) => {
        this.#refused = refused
        this.#wakeup.set()
      },
      onChange: (change) => {
        const concerned = topics.filter((topic) => concerns(topic, change))
        concerned.forEach(({ text }) => this.#changed.add(text))
        if (concerned.length > 0) {
          this.#wakeup.set()
        }
      },
      onClose: () => {
        this.#hasClosed = true
        this.#wakeup.set()
      },
    })
    signal.addEventListener('abort', () => this.close(), { once: true })
  }

  async *events(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    while (!this.#hasClosed && this.#refused === undefined) {
      await this.#wakeup.wait(MINUTE_MS)
    }
    if (this.#refused === undefined) {
      yield { name: 'unavailable', data: '{}' }
      return
    }
    const isComplete = this.#refused === 0 && this.#topics.length > 0
    yield { name: 'ready', data: JSON.stringify({ isComplete }) }
    while (!this.#hasClosed && !signal.aborted) {
      const topics = [...this.#changed]
      this.#changed.clear()
      if (topics.length > 0) {
        yield { name: 'change', data: JSON.stringify({ topics }) }
        await delay(GATHER_MS, undefined, { signal }).catch(() => {})
      } else {
        await this.#wakeup.wait(MINUTE_MS)
      }
    }
  }

  close(): void {
    this.#socket.close()
  }
}

function subscriptionsOf(topics: readonly Topic[]): Subscription[] {
  const rooms = topics.map(({ type, id }) => [`${type}/${id ?? ''}`, { type, id }] as const)
  return [...new Map(rooms).values()]
}
