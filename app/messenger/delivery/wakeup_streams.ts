import type { ServerResponse } from 'node:http'

import type { EndSignal } from '#kernel/end_signal'
import { keyOf, type Party } from '#messenger/mailboxes/party'
import { openStreams } from './metrics.js'
import { TimerWheel } from './timer_wheel.js'
import { WakeupStream } from './wakeup_stream.js'
import type { Wakeups } from './wakeups.js'

const PING = { roundMs: 15_000, slots: 15 }

/**
 * The streams of this process on which recipients are told that there is something to pull.
 */
export class WakeupStreams {
  readonly #wakeups: Wakeups
  readonly #pings = new TimerWheel<WakeupStream>(PING, (stream) => stream.ping())

  constructor(wakeups: Wakeups) {
    this.#wakeups = wakeups
  }

  /** How many there are. */
  get size(): number {
    return this.#pings.size
  }

  /** Wakes a recipient now, whatever it has missed, and with each arrival, until it is over. */
  open(recipient: Party, connection: ServerResponse, ending: EndSignal): void {
    if (ending.hasEnded) {
      connection.end()
      return
    }
    const stream = new WakeupStream(connection, keyOf(recipient), this)
    this.#wakeups.subscribe(stream.mailbox, stream)
    this.#pings.add(stream)
    openStreams.inc()
    ending.addListener(stream)
    stream.receive()
  }

  remove(stream: WakeupStream): void {
    this.#wakeups.unsubscribe(stream.mailbox, stream)
    this.#pings.remove(stream)
    openStreams.dec()
  }
}
