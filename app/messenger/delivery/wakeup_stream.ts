import type { Writable } from 'node:stream'

import { clock } from '#kernel/clock'
import type { EndListener } from '#kernel/end_signal'
import { partyFromKey } from '#messenger/mailboxes/party'
import type { Listener } from '#signals/listeners'

/** Wakeups within this time are sent as one. */
const THROTTLE_MS = 20

type Connection = Pick<
  Writable,
  | 'write'
  | 'end'
  | 'destroy'
  | 'once'
  | 'destroyed'
  | 'writableEnded'
  | 'writableLength'
  | 'writableNeedDrain'
>

/** The open streams of the process. */
interface StreamRegistry {
  remove(stream: WakeupStream): void
}

/**
 * One event stream of a recipient. Wakeups of a slow reader are merged, and a reader that reads nothing between two
 * pings is disconnected. There are thousands of streams, so each implements its listeners itself and holds neither
 * closures nor strings.
 */
export class WakeupStream implements Listener, EndListener {
  /** The key of the recipient's mailbox. */
  readonly mailbox: string
  readonly #connection: Connection
  readonly #registry: StreamRegistry
  #isThrottled = false
  #isPending = false
  #isStalled = false

  constructor(connection: Connection, mailbox: string, registry: StreamRegistry) {
    this.mailbox = mailbox
    this.#connection = connection
    this.#registry = registry
  }

  receive(): void {
    if (this.#isThrottled) {
      this.#isPending = true
      return
    }
    this.#isThrottled = true
    this.#connection.write(wakeupFrame(this.mailbox))
    setTimeout(() => this.#endThrottle(), THROTTLE_MS).unref()
  }

  /** Sends a ping. Disconnects a client that has read nothing since the previous one. */
  ping(): void {
    if (this.#connection.writableLength === 0) {
      this.#isStalled = false
      this.#connection.write(`event: ping\ndata: ${clock.now()}\n\n`)
    } else if (this.#isStalled) {
      this.#connection.destroy()
    } else {
      this.#isStalled = true
    }
  }

  onEnd(): void {
    this.#registry.remove(this)
    this.#connection.end()
  }

  #endThrottle(): void {
    const connection = this.#connection
    if (connection.destroyed || connection.writableEnded) {
      return
    }
    if (connection.writableNeedDrain) {
      connection.once('drain', () => this.#endThrottle())
      return
    }
    this.#isThrottled = false
    if (this.#isPending) {
      this.#isPending = false
      this.receive()
    }
  }
}

function wakeupFrame(mailbox: string): string {
  return `event: messagePending\ndata: ${JSON.stringify({ recipient: partyFromKey(mailbox) })}\n\n`
}
