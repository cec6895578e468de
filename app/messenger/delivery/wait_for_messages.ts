import { AutoResetEvent } from '#kernel/auto_reset_event'
import type { EndSignal, EndListener } from '#kernel/end_signal'
import { Failure } from '#kernel/failures'
import { keyOf, type Party } from '#messenger/mailboxes/party'
import type { Listener } from '#signals/listeners'
import { parkedRequests } from './metrics.js'
import type { Wakeups } from './wakeups.js'

interface MessageWaitOptions<Item> {
  readonly wakeups: Wakeups
  readonly recipient: Party
  readonly read: () => Promise<readonly Item[]>
  readonly waitMs: number
  /** Ends when the client disconnects or its token expires. Called only if the request has to wait. */
  readonly ending: () => Promise<EndSignal>
}

/**
 * Reads until there are messages or the time is over. An arrival during or after the first read ends the wait.
 * Resolves with no messages for a client that disconnected; rejects if its token expired.
 */
export function waitForMessages<Item>(options: MessageWaitOptions<Item>): Promise<readonly Item[]> {
  const wait = new MessageWait(options)
  wait.start()
  return wait.items
}

/** No async function is pending while a request is parked: each would take half a KiB. */
class MessageWait<Item> implements Listener, EndListener {
  readonly #options: MessageWaitOptions<Item>
  readonly #deadline: number
  readonly #woken = new AutoResetEvent()
  readonly #result = Promise.withResolvers<readonly Item[]>()
  readonly #mailbox: string
  #ending: EndSignal | undefined

  constructor(options: MessageWaitOptions<Item>) {
    this.#options = options
    this.#deadline = performance.now() + options.waitMs
    this.#mailbox = keyOf(options.recipient)
    options.wakeups.subscribe(this.#mailbox, this)
  }

  get items(): Promise<readonly Item[]> {
    return this.#result.promise
  }

  start(): void {
    void this.#settleOrPark(() => this.#readFirst())
  }

  receive(): void {
    this.#woken.set()
  }

  onEnd(): void {
    this.#woken.set()
  }

  /** Settles the result, or parks again if the read returned undefined. */
  async #settleOrPark(read: () => Promise<readonly Item[] | undefined>): Promise<void> {
    try {
      const items = await read()
      if (items) {
        this.#stop()
        this.#result.resolve(items)
      } else {
        this.#park()
      }
    } catch (error) {
      this.#stop()
      this.#result.reject(error)
    }
  }

  async #readFirst(): Promise<readonly Item[] | undefined> {
    const items = await this.#options.read()
    if (items.length > 0) {
      return items
    }
    this.#ending = await this.#options.ending()
    this.#ending.addListener(this)
    return undefined
  }

  #stop(): void {
    this.#options.wakeups.unsubscribe(this.#mailbox, this)
  }

  #park(): void {
    parkedRequests.inc()
    const milliseconds = Math.max(0, this.#deadline - performance.now())
    void this.#woken.wait(milliseconds).then((isWoken) => {
      parkedRequests.dec()
      return this.#settleOrPark(() => this.#readAgain(isWoken))
    })
  }

  async #readAgain(isWoken: boolean): Promise<readonly Item[] | undefined> {
    const { hasEnded, reason } = this.#ending!
    if (hasEnded) {
      return emptyUnlessDenied(reason)
    }
    const items = await this.#options.read()
    return items.length > 0 || !isWoken ? items : undefined
  }
}

function emptyUnlessDenied(reason: unknown): readonly never[] {
  if (reason instanceof Failure) {
    throw reason
  }
  return []
}
