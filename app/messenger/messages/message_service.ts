import type { DatabasePool } from '#database/database_pool'
import { enforce, loggedIn } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { Ending } from '#kernel/ending'
import { clock } from '#kernel/clock'
import { isUuid } from '#kernel/is_uuid'
import { keyOf, partyOf, type Party } from '#messenger/mailboxes/party'
import type { Wakeups } from '#messenger/delivery/wakeups'
import { untilArrival } from '#messenger/delivery/until_arrival'
import { MessageTooLarge } from './errors.js'
import { idsSentWith, pendingMessages, removeMessages } from './message_table.js'
import { messageMetrics } from './metrics.js'
import { Outgoing } from './outgoing.js'
import type { PullQuery } from './pull_query.js'
import type { WaitingLimits } from './store_messages.js'

/** Everybody who is somebody may send to everybody. */
export const MESSAGE_ACCESS = loggedIn

export interface Message {
  readonly recipients: readonly Party[]
  /** JSON, as it was sent. */
  readonly data: string | undefined
  readonly metadata: string | undefined
}

/** Of its data and metadata. */
export const bytesOf = ({ data = '', metadata = '' }: Message): number =>
  Buffer.byteLength(data) + Buffer.byteLength(metadata)

interface MessageServiceOptions extends WaitingLimits {
  readonly pool: DatabasePool
  readonly wakeups: Wakeups
  readonly messageMaxBytes: number
}

/**
 * Messages between identities: stored for each recipient when they are accepted, and there until that recipient acknowledges them or
 * their time is over.
 */
export class MessageService {
  readonly #options: MessageServiceOptions
  readonly #outgoing: Outgoing

  constructor(options: MessageServiceOptions) {
    this.#options = options
    this.#outgoing = new Outgoing(options)
  }

  /**
   * Answers the ids of the copies in the order of the recipients, of whom one that is named twice gets one copy; for a key that comes
   * again, those of the first time.
   */
  async send(actor: Actor, message: Message, key?: string): Promise<readonly string[]> {
    enforce(MESSAGE_ACCESS, actor)
    const sender = partyOf(actor)
    const { pool, wakeups } = this.#options
    const content = this.#withinLimit(message)
    const recipients = [...new Map(message.recipients.map((one) => [keyOf(one), one])).values()]
    const ids = new Map(recipients.map((one) => [keyOf(one), clock.uuid()]))
    const answer = message.recipients.map((one) => ids.get(keyOf(one))!)
    const stored = { ...content, sender, recipients, ids: [...ids.values()], answer, key }
    const arrivals = await this.#outgoing.store(stored)
    if (arrivals.length === 0 && key !== undefined) {
      return (await idsSentWith(pool, sender, key)) ?? this.send(actor, message, key)
    }
    messageMetrics.sent(ids.size)
    wakeups.tell(arrivals)
    return answer
  }

  /**
   * The oldest messages of the caller, as JSON. Where there is none and the caller waits, it is registered before it is looked, and
   * answered with the first that comes; `leaving` tells until when it is there.
   */
  pull(
    actor: Actor,
    { limit, waitMs }: PullQuery,
    leaving: () => Promise<Ending>
  ): Promise<readonly string[]> {
    enforce(MESSAGE_ACCESS, actor)
    const recipient = partyOf(actor)
    const { pool, wakeups } = this.#options
    const look = () => pendingMessages(pool, recipient, limit)
    return waitMs === 0 ? look() : untilArrival({ wakeups, recipient, look, waitMs, leaving })
  }

  /** Removes those of the caller's own; all others stay, and need not exist. */
  async acknowledge(actor: Actor, ids: readonly string[]): Promise<void> {
    enforce(MESSAGE_ACCESS, actor)
    const { pool } = this.#options
    const possible = ids.filter(isUuid)
    if (possible.length > 0) {
      messageMetrics.acknowledged(await removeMessages(pool, partyOf(actor), possible))
    }
  }

  #withinLimit(sent: Message) {
    const { messageMaxBytes } = this.#options
    const [data, metadata] = [sent.data ?? null, sent.metadata ?? null]
    const bytes = bytesOf(sent)
    if (bytes > messageMaxBytes) {
      throw new MessageTooLarge(messageMaxBytes)
    }
    return { data, metadata, bytes }
  }
}
