import type { Writable } from 'node:stream'

import { clock } from '#kernel/clock'
import type { EndListener } from '#kernel/end_signal'
import { partyFromKey } from '#messenger/mailboxes/party'
import type { Listener } from '#signals/listeners'

/** Wakeups that follow one within so much time are told as one more. */
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

/** Where streams are known that are open. */
interface StreamRegistry {
  remove(stream: WakeupStream): void
}

/**
 * What somebody who follows a mailbox is sent. A reader that is slow is told later, of all at once, and one that does not read at
 * all is cut off. There are thousands: each is itself what its mailbox, its end and the wheel tell, and keeps no function and no
 * text for that.
 */
export class WakeupStream implements Listener, EndListener {
  /** The key of the mailbox that is followed. */
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

  /** Says that the connection is alive. Where nothing was read from one ping to the next, it is taken for dead. */
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
