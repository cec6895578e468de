import { BaseSchema } from '@adonisjs/lucid/schema'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type pg from 'pg'

import { asSealed, FIRST_EVENT_COLUMNS, type EventRow } from '#telemetry/trail/read_chain'
import { sealEvents } from '#telemetry/trail/seal_events'

const AT_ONCE = 1_000

/** Events are sealed in batches, in one chain per realm. Existing events are sealed as they are. */
export default class SealEvents extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table event_chains (
        chain varchar(36) primary key,
        number bigint not null default 0,
        digest char(64),
        anchored bigint not null default 0
      )`)
    this.schema.raw(`
      create table event_batches (
        chain varchar(36) not null,
        number bigint not null,
        previous char(64),
        root char(64) not null,
        size integer not null,
        expires_at timestamptz(3),
        sealed_at timestamptz(3) not null,
        signature bytea not null,
        ids bytea not null,
        leaves bytea not null,
        is_removed boolean not null default false,
        primary key (chain, number)
      )`)
    // Hashes and random ids cannot be compressed.
    this.schema.raw('alter table event_batches alter column ids set storage external')
    this.schema.raw('alter table event_batches alter column leaves set storage external')
    this.schema.raw(
      'create index event_batches_expiry on event_batches (expires_at, chain, number) where not is_removed'
    )
    this.schema.raw('create index event_batches_sealed on event_batches (chain, sealed_at)')
    this.schema.raw(`
      create table event_removals (
        id bigint generated always as identity primary key,
        chain varchar(36) not null,
        number bigint not null,
        statement text not null,
        signature bytea not null
      )`)
    this.schema.raw('create index event_removals_batch on event_removals (chain, number)')
    this.defer((client) => client.transaction(sealExisting))
  }

  async down() {
    this.schema.dropTable('event_removals')
    this.schema.dropTable('event_batches')
    this.schema.dropTable('event_chains')
  }
}

async function sealExisting(transaction: TransactionClientContract): Promise<void> {
  const connection: pg.ClientBase = await transaction.knexClient.client.acquireConnection()
  let [createdAt, id] = ['-infinity', '00000000-0000-0000-0000-000000000000']
  for (;;) {
    const { rows } = await connection.query<EventRow>(
      `select ${FIRST_EVENT_COLUMNS}, null as reported_by from events where (created_at, id) > ($1::timestamptz, $2::uuid)
       order by created_at, id limit ${AT_ONCE}`,
      [createdAt, id]
    )
    await sealEvents(connection, rows.map(asSealed))
    const last = rows.at(-1)
    if (!last) {
      return
    }
    ;[createdAt, id] = [last.created_at, last.id]
  }
}
