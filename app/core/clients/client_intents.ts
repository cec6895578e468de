import type pg from 'pg'

import { ServiceUnavailable } from '#kernel/failures'
import { clock } from '#kernel/clock'

/** A record that is about to be created with a client of its own. */
export interface Intent {
  readonly recordId: string
  readonly realmId: string
}

const BATCH = 100

/**
 * What is remembered between the creation of a client at the provider and that of its record here. The record's own
 * transaction takes the intent away, so an intent that can still be abandoned has no record and will never get one.
 */
export class ClientIntents {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async write({ recordId, realmId }: Intent): Promise<void> {
    await this.#pool.query(
      'insert into client_intents (record_id, realm_id, created_at) values ($1, $2, $3)',
      [recordId, realmId, new Date(clock.now())]
    )
  }

  /** Part of the record's transaction. Throws where the record came so late that its client is being removed. */
  async fulfil(transaction: pg.ClientBase, recordId: string): Promise<void> {
    const { rowCount } = await transaction.query(
      'delete from client_intents where record_id = $1 and abandoned_at is null',
      [recordId]
    )
    if (rowCount !== 1) {
      throw new ServiceUnavailable('Creating this took too long; try again')
    }
  }

  /** Whether the record was not written; then it cannot be any more. Waits for a transaction that is still at it. */
  async abandon(recordId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      'update client_intents set abandoned_at = $2 where record_id = $1 and abandoned_at is null',
      [recordId, new Date(clock.now())]
    )
    return rowCount === 1
  }

  /** Abandons some of those that are older than this, and answers them with those abandoned before. */
  async abandonOlderThan(time: number): Promise<Intent[]> {
    const { rows } = await this.#pool.query<Intent>(
      `update client_intents set abandoned_at = coalesce(abandoned_at, $2)
       where record_id in (
         select record_id from client_intents where created_at < $1 or abandoned_at is not null
         order by created_at limit ${BATCH} for update skip locked)
       returning record_id as "recordId", realm_id as "realmId"`,
      [new Date(time), new Date(clock.now())]
    )
    return rows
  }

  async remove(recordId: string): Promise<void> {
    await this.#pool.query('delete from client_intents where record_id = $1', [recordId])
  }
}
