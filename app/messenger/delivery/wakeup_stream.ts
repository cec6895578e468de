import type { Writable } from 'node:stream'

import { clock } from '#kernel/clock'
import type { EndListener } from '#kernel/ending'
import { partyIn } from '#messenger/mailboxes/party'
import type { Listener } from '#signals/listeners'

/** Wakeups that follow one within so much time are told as one more. */
const REST_MS = 20

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
interface Streams {
  forget(stream: WakeupStream): void
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
  readonly #streams: Streams
  #isResting = false
  #isOwed = false
  #isBehind = false

  constructor(connection: Connection, mailbox: string, streams: Streams) {
    this.mailbox = mailbox
    this.#connection = connection
    this.#streams = streams
  }

  hear(): void {
    if (this.#isResting) {
      this.#isOwed = true
      return
    }
    this.#isResting = true
    this.#connection.write(frameFor(this.mailbox))
    setTimeout(() => this.#rested(), REST_MS).unref()
  }

  /** Says that the connection is alive. Where nothing was read from one ping to the next, it is taken for dead. */
  ping(): void {
    if (this.#connection.writableLength === 0) {
      this.#isBehind = false
      this.#connection.write(`event: ping\ndata: ${clock.now()}\n\n`)
    } else if (this.#isBehind) {
      this.#connection.destroy()
    } else {
      this.#isBehind = true
    }
  }

  over(): void {
    this.#streams.forget(this)
    this.#connection.end()
  }

  #rested(): void {
    const connection = this.#connection
    if (connection.destroyed || connection.writableEnded) {
      return
    }
    if (connection.writableNeedDrain) {
      connection.once('drain', () => this.#rested())
      return
    }
    this.#isResting = false
    if (this.#isOwed) {
      this.#isOwed = false
      this.hear()
    }
  }
}

function frameFor(mailbox: string): string {
  return `event: messagePending\ndata: ${JSON.stringify({ recipient: partyIn(mailbox) })}\n\n`
}
