import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateMessenger extends BaseSchema {
  async up() {
    const statements = [...MESSAGES, ...CONTENTS, ...TOTALS]
    statements.forEach((statement) => this.schema.raw(statement))
  }
}

/** Rows are inserted and deleted continuously: vacuum after a number of rows, not a share of the table. */
const VACUUM = ['vacuum_scale_factor = 0', 'vacuum_threshold = 10000']
const INSERT_VACUUM = ['vacuum_insert_scale_factor = 0', 'vacuum_insert_threshold = 10000']
const UNDELAYED = ['vacuum_cost_delay = 0']

/** Settings of a table and of its long values. */
const autovacuum = (...settings: readonly string[]) =>
  ['autovacuum_', 'toast.autovacuum_']
    .flatMap((prefix) => settings.map((setting) => `${prefix}${setting}`))
    .join()

/**
 * Pending messages, one row per recipient. All have the same lifetime, so `created_at` determines their expiry.
 * Two indexes end with that order: one serves a recipient, the other finds expired messages without the table.
 */
const MESSAGES = [
  `create table messages (
    id uuid primary key,
    sender_type varchar(64) not null, sender_id uuid not null,
    recipient_type varchar(64) not null, recipient_id uuid not null,
    data text, metadata text, size integer not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    sequence bigint generated always as identity, content_id uuid
  ) with (${autovacuum(...VACUUM, ...INSERT_VACUUM, ...UNDELAYED)})`,
  // Encrypted content cannot be compressed.
  'alter table messages alter column data set storage external',
  `create index messages_recipient
    on messages (recipient_id, recipient_type, created_at, sequence)`,
  `create index messages_age on messages (recipient_type, created_at)
    include (id, recipient_id)`,
  'create index messages_content on messages (content_id) where content_id is not null',
  'create index messages_sender on messages (sender_id, sender_type)',

  // The answers to idempotency keys, for repeated requests.
  `create table message_keys (
    sender_type varchar(64) not null, sender_id uuid not null,
    key varchar(255) not null, ids uuid[] not null,
    created_at timestamptz(3) not null default now(),
    primary key (sender_type, sender_id, key)
  )`,
  ...index.plain('message_keys', 'created_at'),
]

/** Content of messages to several recipients, stored once. A message to one recipient holds its own. */
const CONTENTS = [
  `create table message_contents (
    id uuid primary key,
    sender_type varchar(64) not null, sender_id uuid not null,
    data text, metadata text, size integer not null,
    created_at timestamptz(3) not null default now()
  ) with (${autovacuum(...VACUUM, ...UNDELAYED)})`,
  'alter table message_contents alter column data set storage external',
  'create index message_contents_sender on message_contents (sender_id, sender_type)',
  'create index message_contents_age on message_contents (created_at)',
]

/** Pages have free space and no updated column is indexed, so that updates are heap-only (HOT). */
const UPDATED = `with (
    fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000
  )`

/**
 * Every writer locks the row of the sender before any mailbox, and the mailbox before its messages, so that messages
 * become visible in the order in which they are pulled, and no limit is exceeded. Sending adds to the reservation of the
 * sender; acknowledging subtracts nothing, so that recipients do not wait for each other. A sender at its limit is
 * recounted, at most once within `pause`.
 */
const TOTALS = [
  `create table mailboxes (
    recipient_type varchar(64) not null, recipient_id uuid not null,
    messages bigint not null, bytes bigint not null, arrivals bigint not null,
    used_at timestamptz(3) not null default now(),
    expired bigint not null default 0, last_expired_at timestamptz(3),
    primary key (recipient_type, recipient_id)
  ) ${UPDATED}`,
  'create index mailboxes_expired on mailboxes (last_expired_at desc) where expired > 0',

  `create table message_senders (
    sender_type varchar(64) not null, sender_id uuid not null,
    messages bigint not null, bytes bigint not null,
    used_at timestamptz(3) not null default now(),
    counted_at timestamptz(3) not null default '-infinity',
    primary key (sender_type, sender_id)
  ) ${UPDATED}`,

  `create function raise_limit_exceeded(of text, kind text, id uuid) returns boolean language plpgsql as $body$
      begin
        raise exception 'the limit is exceeded' using
          errcode = 'configuration_limit_exceeded', constraint = of, detail = kind || ' ' || id;
      end $body$`,

  `create function recount_sender(kind text, sender uuid, row_bytes integer, pause interval)
      returns boolean language plpgsql as $body$
      begin
        perform from message_senders
          where sender_type = kind and sender_id = sender and counted_at <= now() - pause for update;
        if not found then
          return false;
        end if;
        update message_senders set counted_at = now(), messages = m.messages, bytes = m.bytes + c.bytes
        from (
          select count(*) as messages,
            coalesce(sum(case when content_id is null then size else row_bytes end), 0) as bytes
          from messages where sender_type = kind and sender_id = sender
        ) m, (
          select coalesce(sum(size), 0) as bytes
          from message_contents where sender_type = kind and sender_id = sender
        ) c
        where sender_type = kind and sender_id = sender;
        return true;
      end $body$`,
]
