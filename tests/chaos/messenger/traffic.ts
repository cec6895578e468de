import { setTimeout as delay } from 'node:timers/promises'

import type { MailboxOwner } from '#tests/helpers/messenger/mailbox_owners'
import { Caller } from './caller.js'
import type { Delivered, Ledger } from './ledger.js'

const WAIT_MS = 2_000
const MOST = 50
/** Every so many messages are sent once more after they were accepted, as if the answer had been lost. */
const REPEATED_EVERY = 10

interface TrafficOptions {
  readonly origins: readonly string[]
  readonly senders: readonly MailboxOwner[]
  readonly recipients: readonly MailboxOwner[]
  /** Of all senders together, as long as all are answered in time. */
  readonly sendsPerSecond: number
  readonly ledger: Ledger
}

/**
 * Senders, which repeat each message until it is confirmed, and recipients, which pull and acknowledge.
 */
export class Traffic {
  /** Unexpected responses. */
  readonly surprises: string[] = []
  readonly #options: TrafficOptions
  readonly #sendersStop = new AbortController()
  readonly #recipientsStop = new AbortController()
  readonly #sending: Promise<unknown>
  readonly #receiving: Promise<unknown>

  constructor(options: TrafficOptions) {
    this.#options = options
    this.#receiving = Promise.all(options.recipients.map((owner, n) => this.#receive(owner, n)))
    this.#sending = Promise.all(options.senders.map((owner, n) => this.#send(owner, n)))
  }

  /** Resolves when the last message is answered. */
  async endSending(): Promise<void> {
    this.#sendersStop.abort()
    await this.#sending
  }

  async stop(): Promise<void> {
    await this.endSending()
    this.#recipientsStop.abort()
    await this.#receiving
  }

  async #send(owner: MailboxOwner, sender: number): Promise<void> {
    const { origins, senders, recipients, sendsPerSecond, ledger } = this.#options
    const caller = new Caller({ origins, owner })
    const everyMs = (1_000 * senders.length) / sendsPerSecond
    const { signal } = this.#sendersStop
    let due = performance.now() + Math.random() * everyMs
    for (let number = 1; !signal.aborted; number++) {
      const recipient = (sender + number * 7) % recipients.length
      const isRepeated = number % REPEATED_EVERY === 0
      for (let time = 0; time < (isRepeated ? 2 : 1); time++) {
        if (await this.#sent(caller, { sender, number }, recipients[recipient]!)) {
          ledger.noteAccepted(recipient, { sender, number })
        }
      }
      due = Math.max(due + everyMs, performance.now() - 1_000)
      await delay(Math.max(0, due - performance.now()))
    }
    caller.close()
  }

  /** The same message with the same key, until it is answered. */
  async #sent(
    caller: Caller,
    data: Delivered['data'],
    { type, id }: MailboxOwner
  ): Promise<boolean> {
    const body = JSON.stringify({ recipients: [{ type, id }], data })
    const headers = { 'idempotency-key': `message ${data.number}` }
    for (;;) {
      const answer = await caller.request({ method: 'POST', path: '/messages', headers, body })
      if (answer) {
        return answer.status === 202 || this.#wonder('A message', answer)
      }
    }
  }

  async #receive(owner: MailboxOwner, recipient: number): Promise<void> {
    const { origins, ledger } = this.#options
    const caller = new Caller({ origins, owner })
    const path = `/messages?limit=${MOST}&wait=${WAIT_MS}`
    while (!this.#recipientsStop.signal.aborted) {
      const answer = await caller.request({ method: 'GET', path })
      if (answer?.status === 200) {
        const { messages } = JSON.parse(String(answer.body)) as { messages: Delivered[] }
        ledger.notePulled(recipient, messages)
        await this.#acknowledge(caller, recipient, messages)
      } else if (answer) {
        this.#wonder('A pull', answer)
      }
    }
    caller.close()
  }

  async #acknowledge(
    caller: Caller,
    recipient: number,
    messages: readonly Delivered[]
  ): Promise<void> {
    const ids = messages.map(({ id }) => id)
    if (ids.length === 0) {
      return
    }
    const answer = await caller.request({
      method: 'POST',
      path: '/messages/ack',
      body: JSON.stringify({ ids }),
    })
    if (answer?.status === 202) {
      this.#options.ledger.noteAcknowledged(recipient, ids)
    } else if (answer) {
      this.#wonder('An acknowledgement', answer)
    }
  }

  #wonder(what: string, { status, body }: { status: number; body: Buffer }): false {
    this.surprises.push(`${what} was answered with ${status}: ${body}`)
    return false
  }
}
