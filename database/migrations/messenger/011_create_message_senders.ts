import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Reservations for the pending messages of each sender. Sending adds to them; acknowledging subtracts nothing, so
 * that recipients do not wait for each other. A sender at its limit is recounted, at most once within `pause`.
 * Writers lock the row of the sender before any mailbox.
 */
export default class CreateMessageSenders extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table message_senders (
        sender_type varchar(64) not null,
        sender_id uuid not null,
        messages bigint not null,
        bytes bigint not null,
        used_at timestamptz(3) not null default now(),
        counted_at timestamptz(3) not null default '-infinity',
        primary key (sender_type, sender_id)
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`)
    this.schema.raw('create index messages_sender on messages (sender_id, sender_type)')
    this.schema.raw(`
      insert into message_senders (sender_type, sender_id, messages, bytes)
      select sender_type, sender_id, count(*), sum(size) from messages group by 1, 2`)
    this.schema.raw(`
      create function refuse_room(of text, kind text, id uuid) returns boolean language plpgsql as $body$
      begin
        raise exception 'there is no room' using
          errcode = 'configuration_limit_exceeded', constraint = of, detail = kind || ' ' || id;
      end $body$`)
    this.schema.raw('drop function within_mailbox')
    this.schema.raw(`
      create function recount_sender(kind text, sender uuid, row_bytes integer, pause interval)
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
      end $body$`)
  }

  async down() {
    this.schema.raw('drop function recount_sender')
    this.schema.raw('drop function refuse_room')
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
    this.schema.raw('drop index messages_sender')
    this.schema.dropTable('message_senders')
  }
}
