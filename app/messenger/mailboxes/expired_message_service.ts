import { enforce, requiresInMasterRealm } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { messengerPool } from '#messenger/database'
import type { PartyKind } from './party.js'

/** Only operators of the installation see which recipients do not read their messages. */
export const EXPIRED_ACCESS = requiresInMasterRealm('service_manage')
export const EXPIRED_LIMIT = { default: 100, most: 1_000 }

/** A recipient whose messages expired before they were acknowledged. */
interface ExpiredMessages {
  readonly type: PartyKind
  readonly id: string
  readonly expired: number
  readonly lastExpiredAt: string
}

interface ExpiredMessageList {
  readonly recipients: readonly ExpiredMessages[]
  /** The number of recipients with expired messages. */
  readonly total: number
}

const LATEST = `
  select recipient_type as type, recipient_id as id, expired::float8 as expired,
    last_expired_at as "lastExpiredAt", (count(*) over ())::int as total
  from mailboxes where expired > 0 order by last_expired_at desc limit $1`

/** Counts of expired messages by recipient. */
export class ExpiredMessageService {
  readonly #pool = messengerPool()

  /** The recipients whose messages expired most recently. */
  async list(actor: Actor, limit: number): Promise<ExpiredMessageList> {
    enforce(EXPIRED_ACCESS, actor)
    const { rows } = await this.#pool.read<
      Omit<ExpiredMessages, 'lastExpiredAt'> & { lastExpiredAt: Date; total: number }
    >({ name: 'expired-messages', text: LATEST, values: [limit] })
    return {
      recipients: rows.map(({ total, lastExpiredAt, ...recipient }) => ({
        ...recipient,
        lastExpiredAt: lastExpiredAt.toISOString(),
      })),
      total: rows[0]?.total ?? 0,
    }
  }
}
