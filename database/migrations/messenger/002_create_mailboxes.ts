import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * The totals of each mailbox. Every writer locks this row first, so messages become visible in the order in which
 * they are pulled, and the limit is never exceeded. No updated column is indexed and pages have free space, so
 * updates are heap-only (HOT).
 */
export default class CreateMailboxes extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table mailboxes (
        recipient_type varchar(64) not null,
        recipient_id uuid not null,
        messages bigint not null,
        bytes bigint not null,
        arrivals bigint not null,
        used_at timestamptz(3) not null default now(),
        expired bigint not null default 0,
        last_expired_at timestamptz(3),
        primary key (recipient_type, recipient_id)
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`)
    this.schema.raw(
      'create index mailboxes_expired on mailboxes (last_expired_at desc) where expired > 0'
    )
    this.schema.raw(`
      create function within_mailbox(kind text, recipient uuid, bytes bigint, most bigint)
      returns bigint language plpgsql as $body$
      begin
        if bytes > most then
          raise exception 'the mailbox has no room' using
            errcode = 'disk_full', constraint = 'mailbox_room', detail = kind || ' ' || recipient;
        end if;
        return bytes;
      end $body$`)
  }

  async down() {
    this.schema.raw('drop function within_mailbox')
    this.schema.dropTable('mailboxes')
  }
}
