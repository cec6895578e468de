import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * What is in each mailbox, kept with every change of it. Whoever changes a mailbox locks its row first, so messages become visible
 * in the order in which they are pulled, and a mailbox is never fuller than it may be.
 *
 * None of the columns that change with a message has an index, and pages have room: such changes stay on their page.
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
