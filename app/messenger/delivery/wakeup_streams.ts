import type { ServerResponse } from 'node:http'

import { inject } from '@adonisjs/core'

import type { EndSignal } from '#kernel/end_signal'
import { keyOf, type Party } from '#messenger/mailboxes/party'
import { openStreams } from './metrics.js'
import { TimerWheel } from './timer_wheel.js'
import { WakeupStream } from './wakeup_stream.js'
import { Wakeups } from './wakeups.js'

const PING = { roundMs: 15_000, slots: 15 }

/** The wakeup streams of this process. */
@inject()
export class WakeupStreams {
  readonly #wakeups: Wakeups
  readonly #pings = new TimerWheel<WakeupStream>(PING, (stream) => stream.ping())

  constructor(wakeups: Wakeups) {
    this.#wakeups = wakeups
  }

  /** The number of open streams. */
  get size(): number {
    return this.#pings.size
  }

  /** Sends a wakeup at once, since the recipient may have missed some, and another for each arrival. */
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
