import { inject } from '@adonisjs/core'

import { enforce, loggedIn } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { EndSignal } from '#kernel/end_signal'
import { clock } from '#kernel/clock'
import { isUuid } from '#kernel/is_uuid'
import { messengerPool } from '#messenger/database'
import { keyOf, partyOf, type Party } from '#messenger/mailboxes/party'
import { Wakeups } from '#messenger/delivery/wakeups'
import { waitForMessages } from '#messenger/delivery/wait_for_messages'
import { messengerSettings } from '#messenger/messenger_settings'
import { MessageTooLarge } from './errors.js'
import { findIdsByKey, findPendingMessages, removeMessages } from './message_table.js'
import { messageMetrics } from './metrics.js'
import { MessageBatcher } from './message_batcher.js'
import type { PullQuery } from './pull_query.js'

/** Every identity may send to every other. */
export const MESSAGE_ACCESS = loggedIn

export interface Message {
  readonly recipients: readonly Party[]
  /** JSON as it was sent. */
  readonly data: string | undefined
  readonly metadata: string | undefined
}

/** The size of data and metadata together. */
export const bytesOf = ({ data = '', metadata = '' }: Message): number =>
  Buffer.byteLength(data) + Buffer.byteLength(metadata)

/**
 * Messages between identities. Each recipient has a copy from acceptance until it acknowledges it or the copy
 * expires.
 */
@inject()
export class MessageService {
  readonly #pool = messengerPool()
  readonly #wakeups: Wakeups
  readonly #batcher: MessageBatcher
  readonly #maxBytes: number

  constructor(wakeups: Wakeups) {
    const { messageMaxBytes, ...quotas } = messengerSettings()
    this.#wakeups = wakeups
    this.#batcher = new MessageBatcher({ pool: this.#pool, ...quotas })
    this.#maxBytes = messageMaxBytes
  }

  /**
   * Returns the ids of the copies in the order of the recipients; a recipient named twice gets one copy. A repeated
   * idempotency key returns the ids of the first request.
   */
  async send(actor: Actor, message: Message, key?: string): Promise<readonly string[]> {
    enforce(MESSAGE_ACCESS, actor)
    const sender = partyOf(actor)
    const content = this.#contentOf(message)
    const recipients = [...new Map(message.recipients.map((one) => [keyOf(one), one])).values()]
    const ids = new Map(recipients.map((one) => [keyOf(one), clock.uuid()]))
    const answer = message.recipients.map((one) => ids.get(keyOf(one))!)
    const stored = { ...content, sender, recipients, ids: [...ids.values()], answer, key }
    const arrivals = await this.#batcher.store(stored)
    if (arrivals.length === 0 && key !== undefined) {
      return (await findIdsByKey(this.#pool, sender, key)) ?? this.send(actor, message, key)
    }
    messageMetrics.sent(ids.size)
    this.#wakeups.notify(arrivals)
    return answer
  }

  /**
   * The caller's oldest messages, as JSON. If there are none and the caller waits, resolves with the first arrivals;
   * `ending` limits how long the caller stays connected.
   */
  pull(
    actor: Actor,
    { limit, waitMs }: PullQuery,
    ending: () => Promise<EndSignal>
  ): Promise<readonly string[]> {
    enforce(MESSAGE_ACCESS, actor)
    const recipient = partyOf(actor)
    const wakeups = this.#wakeups
    const read = () => findPendingMessages(this.#pool, recipient, limit)
    return waitMs === 0 ? read() : waitForMessages({ wakeups, recipient, read, waitMs, ending })
  }

  /** Removes the caller's messages with these ids; other ids are ignored. */
  async acknowledge(actor: Actor, ids: readonly string[]): Promise<void> {
    enforce(MESSAGE_ACCESS, actor)
    const possible = ids.filter(isUuid)
    if (possible.length > 0) {
      messageMetrics.acknowledged(await removeMessages(this.#pool, partyOf(actor), possible))
    }
  }

  #contentOf(message: Message) {
    const [data, metadata] = [message.data ?? null, message.metadata ?? null]
    const bytes = bytesOf(message)
    if (bytes > this.#maxBytes) {
      throw new MessageTooLarge(this.#maxBytes)
    }
    return { data, metadata, bytes }
  }
}
