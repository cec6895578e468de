import { AutoResetEvent } from '#kernel/auto_reset_event'
import type { Ending, EndListener } from '#kernel/ending'
import { Failure } from '#kernel/failures'
import { keyOf, type Party } from '#messenger/mailboxes/party'
import type { Listener } from '#signals/listeners'
import { parkedRequests } from './metrics.js'
import type { Wakeups } from './wakeups.js'

interface Waiting<Found> {
  readonly wakeups: Wakeups
  readonly recipient: Party
  readonly look: () => Promise<readonly Found[]>
  readonly waitMs: number
  /** Over when nobody waits for the answer any more, or it may not be given. Asked for only where there is a wait. */
  readonly leaving: () => Promise<Ending>
}

/**
 * Looks until there is something or the time is over. What arrives after the first look, or during it, ends the wait. Nothing is
 * found for one who is gone; one whose token has ended is refused.
 */
export function untilArrival<Found>(waiting: Waiting<Found>): Promise<readonly Found[]> {
  const wait = new ArrivalWait(waiting)
  wait.begin()
  return wait.found
}

/** No function is under way while it waits: each that were would take half a KiB for every request that is parked. */
class ArrivalWait<Found> implements Listener, EndListener {
  readonly #waiting: Waiting<Found>
  readonly #deadline: number
  readonly #woken = new AutoResetEvent()
  readonly #answer = Promise.withResolvers<readonly Found[]>()
  readonly #mailbox: string
  #leaving: Ending | undefined

  constructor(waiting: Waiting<Found>) {
    this.#waiting = waiting
    this.#deadline = performance.now() + waiting.waitMs
    this.#mailbox = keyOf(waiting.recipient)
    waiting.wakeups.join(this.#mailbox, this)
  }

  get found(): Promise<readonly Found[]> {
    return this.#answer.promise
  }

  begin(): void {
    void this.#attempt(() => this.#lookFirst())
  }

  hear(): void {
    this.#woken.set()
  }

  over(): void {
    this.#woken.set()
  }

  /** Goes on waiting where a look finds nothing. */
  async #attempt(look: () => Promise<readonly Found[] | undefined>): Promise<void> {
    try {
      const found = await look()
      if (found) {
        this.#stop()
        this.#answer.resolve(found)
      } else {
        this.#park()
      }
    } catch (error) {
      this.#stop()
      this.#answer.reject(error)
    }
  }

  async #lookFirst(): Promise<readonly Found[] | undefined> {
    const found = await this.#waiting.look()
    if (found.length > 0) {
      return found
    }
    this.#leaving = await this.#waiting.leaving()
    this.#leaving.tell(this)
    return undefined
  }

  #stop(): void {
    this.#waiting.wakeups.leave(this.#mailbox, this)
  }

  #park(): void {
    parkedRequests.inc()
    const milliseconds = Math.max(0, this.#deadline - performance.now())
    void this.#woken.wait(milliseconds).then((isWoken) => {
      parkedRequests.dec()
      return this.#attempt(() => this.#lookAgain(isWoken))
    })
  }

  async #lookAgain(isWoken: boolean): Promise<readonly Found[] | undefined> {
    const { isOver, reason } = this.#leaving!
    if (isOver) {
      return refusedOrNothing(reason)
    }
    const found = await this.#waiting.look()
    return found.length > 0 || !isWoken ? found : undefined
  }
}

function refusedOrNothing(reason: unknown): readonly never[] {
  if (reason instanceof Failure) {
    throw reason
  }
  return []
}
