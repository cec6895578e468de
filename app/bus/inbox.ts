import type pg from 'pg'

const COUNT = {
  name: 'count-attempt',
  text: `insert into inbox (consumer, message_id, attempts) values ($1, $2, $3)
         on conflict (consumer, message_id) do update set attempts = inbox.attempts + 1
         returning attempts, done_at is not null as "isHandled"`,
}

/** A message is in a set twice where it was published twice. */
const COUNT_ALL = {
  name: 'count-attempts',
  text: `with counted as (
           insert into inbox (consumer, message_id, attempts)
           select distinct $1, message_id, 1 from unnest($2::text[]) as m (message_id)
           on conflict (consumer, message_id)
           do update set attempts = greatest(inbox.attempts, least(inbox.attempts + 1, $3::int + 1))
           returning message_id as id, attempts)
         select id from counted where attempts > $3`,
}

const SETTLE = {
  name: 'settle-message',
  text: `insert into inbox (consumer, message_id, attempts, done_at) values ($1, $2, 1, now())
         on conflict (consumer, message_id) do update set done_at = now()
         where inbox.done_at is null`,
}

const SETTLE_ALL = {
  name: 'settle-messages',
  text: `insert into inbox (consumer, message_id, attempts, done_at)
         select distinct $1, message_id, 1, now() from unnest($2::text[]) as m (message_id)
         on conflict (consumer, message_id) do update set done_at = now()
         where inbox.done_at is null
         returning message_id as id`,
}

/**
 * What a consumer knows of the messages it was given: how often each was tried, and whether it was handled.
 */
export class Inbox {
  readonly #pool: pg.Pool
  readonly #consumer: string

  constructor(pool: pg.Pool, consumer: string) {
    this.#pool = pool
    this.#consumer = consumer
  }

  /**
   * Counts an attempt before it is made, so that one which ends the process was counted. Answers the number of the attempt,
   * at least `atLeast`, or that there is nothing left to do.
   */
  async count(messageId: string, minimum: number): Promise<number | 'handled'> {
    const { rows } = await this.#pool.query<{ attempts: number; isHandled: boolean }>({
      ...COUNT,
      values: [this.#consumer, messageId, minimum],
    })
    const { attempts, isHandled } = rows[0]!
    return isHandled ? 'handled' : attempts
  }

  /**
   * Counts an attempt for each message of a set, before it is made. Answers those that are over it: `most` attempts were made for
   * them before, and none is made now.
   */
  async countAll(messageIds: readonly string[], maxAttempts: number): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ id: string }>({
      ...COUNT_ALL,
      values: [this.#consumer, messageIds, maxAttempts],
    })
    return new Set(rows.map(({ id }) => id))
  }

  /**
   * Notes on the transaction of the handling that the message is handled. Answers false where it was already; a handler that
   * handles the same message at the same time waits here for the first to end.
   */
  async settle(transaction: pg.ClientBase, messageId: string): Promise<boolean> {
    const { rowCount } = await transaction.query({
      ...SETTLE,
      values: [this.#consumer, messageId],
    })
    return rowCount === 1
  }

  /** As `settle`, for a set of messages. Answers those that were not handled already. */
  async settleAll(
    transaction: pg.ClientBase,
    messageIds: readonly string[]
  ): Promise<ReadonlySet<string>> {
    const { rows } = await transaction.query<{ id: string }>({
      ...SETTLE_ALL,
      values: [this.#consumer, messageIds],
    })
    return new Set(rows.map(({ id }) => id))
  }

  /** Lets a message that was given up begin anew when an operator redrives it. */
  async forget(messageId: string): Promise<void> {
    await this.#pool.query(
      'delete from inbox where consumer = $1 and message_id = $2 and done_at is null',
      [this.#consumer, messageId]
    )
  }
}
