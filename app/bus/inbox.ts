import type pg from 'pg'

const COUNT = {
  name: 'count-attempt',
  text: `insert into inbox (consumer, message_id, attempts) values ($1, $2, $3)
         on conflict (consumer, message_id) do update set attempts = inbox.attempts + 1
         returning attempts, done_at is not null as "isHandled"`,
}

/** A batch contains a message twice if it was published twice. */
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
         select $1, unnest($2::text[]), 1, now()
         on conflict (consumer, message_id) do update set done_at = now()
         where inbox.done_at is null
         returning message_id as id`,
}

/** The messages a consumer has received: the attempts of each, and whether it was handled. */
export class Inbox {
  readonly #pool: pg.Pool
  readonly #consumer: string

  constructor(pool: pg.Pool, consumer: string) {
    this.#pool = pool
    this.#consumer = consumer
  }

  /**
   * Counts an attempt before it starts, so that a crash is counted. Returns its number, at least `minimum`, or that the
   * message was handled.
   */
  async count(messageId: string, minimum: number): Promise<number | 'handled'> {
    const { rows } = await this.#pool.query<{ attempts: number; isHandled: boolean }>({
      ...COUNT,
      values: [this.#consumer, messageId, minimum],
    })
    const { attempts, isHandled } = rows[0]!
    return isHandled ? 'handled' : attempts
  }

  /** Counts an attempt for each message of a batch before it starts. Returns the messages that exceed `maxAttempts`. */
  async countAll(messageIds: readonly string[], maxAttempts: number): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ id: string }>({
      ...COUNT_ALL,
      values: [this.#consumer, messageIds, maxAttempts],
    })
    return new Set(rows.map(({ id }) => id))
  }

  /**
   * Marks a message as handled within the transaction of its handler. Returns whether it was not handled before. Blocks
   * while another transaction handles it.
   */
  async settle(transaction: pg.ClientBase, messageId: string): Promise<boolean> {
    const { rowCount } = await transaction.query({ ...SETTLE, values: [this.#consumer, messageId] })
    return rowCount === 1
  }

  /** The same for the messages of a batch; a duplicate within the batch is new only once. */
  async settleAll(
    transaction: pg.ClientBase,
    messageIds: readonly string[]
  ): Promise<readonly boolean[]> {
    const { rows } = await transaction.query<{ id: string }>({
      ...SETTLE_ALL,
      values: [this.#consumer, [...new Set(messageIds)]],
    })
    const settled = new Set(rows.map(({ id }) => id))
    return messageIds.map((id) => settled.delete(id))
  }

  /** Resets the attempts of a dead letter, so that it starts anew when it is redriven. */
  async forget(transaction: pg.ClientBase, messageId: string): Promise<void> {
    await transaction.query(
      'delete from inbox where consumer = $1 and message_id = $2 and done_at is null',
      [this.#consumer, messageId]
    )
  }
}
