import { inject } from '@adonisjs/core'

import { enforce, loggedIn } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { isMasterMember, isRealmWritable } from '#kernel/realm'
import { messengerPool } from '#messenger/database'
import { MESSAGE_LIFETIME } from '#messenger/messages/lifetime'
import { NodeRealms } from './node_realms.js'

/** Everybody may ask; the answer has those mailboxes only that the caller may see. */
export const MAILBOX_ACCESS = loggedIn

/** Counting stops here, so that a full mailbox costs no more than another. */
export const MAX_COUNTED = 1_000

/** What waits in the mailbox of a client. */
export interface MailboxState {
  readonly clientId: string
  /** At most `MAX_COUNTED`; `hasMore` says whether there are more. */
  readonly messages: number
  readonly hasMore: boolean
  /** When the oldest message was sent. Null if none waits. */
  readonly oldestAt: string | null
}

const OF_CLIENT = "recipient_id = asked.id and recipient_type = 'client'"
const OLDEST_ALIVE = `now() - ${MESSAGE_LIFETIME}`
const IS_WAITING = `${OF_CLIENT} and created_at > ${OLDEST_ALIVE}`

/**
 * The total of a mailbox is recorded, but includes expired messages until they are removed, which do not wait. Only
 * then messages are counted. Each part stops early in an index, however full a mailbox is.
 */
export const WAITING = `
  select id as "clientId",
    case when exists (select from messages where ${OF_CLIENT} and created_at <= ${OLDEST_ALIVE})
      then (select count(*) from (
        select from messages where ${IS_WAITING} limit ${MAX_COUNTED + 1}) counted)
      else coalesce((select messages from mailboxes where ${OF_CLIENT}), 0)
    end::float8 as messages,
    (select created_at from messages where ${IS_WAITING}
      order by created_at, sequence limit 1) as "oldestAt"
  from unnest($1::uuid[]) as asked (id)`

/** Reads what waits for nodes and other clients. */
@inject()
export class MailboxReader {
  readonly #pool = messengerPool()
  readonly #realms: NodeRealms

  constructor(realms: NodeRealms) {
    this.#realms = realms
  }

  /** The mailboxes that the caller may see: its own, those of nodes of its realm, and all for the master realm. */
  async list(actor: Actor, clientIds: readonly string[]): Promise<MailboxState[]> {
    enforce(MAILBOX_ACCESS, actor)
    const ids = new Set(clientIds.map((id) => id.toLowerCase()))
    const { rows } = await this.#pool.read<{
      clientId: string
      messages: number
      oldestAt: Date | null
    }>({
      name: 'waiting-messages',
      text: WAITING,
      values: [await this.#visibleTo(actor, [...ids])],
    })
    return rows.map(({ clientId, messages, oldestAt }) => ({
      clientId,
      messages: Math.min(messages, MAX_COUNTED),
      hasMore: messages > MAX_COUNTED,
      oldestAt: oldestAt?.toISOString() ?? null,
    }))
  }

  async #visibleTo(actor: Actor, ids: readonly string[]): Promise<readonly string[]> {
    const isOwn = (id: string) => actor.kind === 'client' && actor.id.toLowerCase() === id
    if (isMasterMember(actor) || ids.every(isOwn)) {
      return ids
    }
    const realms = await this.#realms.find(ids)
    return ids.filter((id) => isOwn(id) || isRealmWritable(actor, realms.get(id) ?? null))
  }
}
