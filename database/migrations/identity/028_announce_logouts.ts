import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Inserts a task for each session that ends early, by a logout, with its user, or by a password change. Ending a user's
 * sessions deletes them at once. The task is due for every process, even if its clock is behind that of the database.
 */
export default class AnnounceLogouts extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table identity_tasks (
        queue varchar(32) not null,
        key varchar(128) not null,
        data jsonb not null,
        revision integer not null default 1,
        attempts integer not null default 0,
        due_at timestamptz(3) not null,
        taken_until timestamptz(3),
        primary key (queue, key)
      )`)
    this.schema.raw('create index identity_tasks_due_at on identity_tasks (queue, due_at)')
    this.schema.raw(`
      create function identity_announce_logout() returns trigger language plpgsql as $body$
      begin
        insert into identity_tasks (queue, key, data, due_at)
        select 'logout', old.id, jsonb_build_object('sessionId', old.id, 'userId', u.id,
          'realmId', r.id, 'realmName', r.name, 'clientId', c.id), now() - interval '1 minute'
        from clients c, users u join realms r on r.id = u.realm_id
        where c.id = old.client_id and c.backchannel_logout_uri is not null and u.id = old.user_id
        on conflict do nothing;
        return old;
      end $body$`)
    this.schema.raw(`
      create trigger identity_token_sessions_announce before delete on identity_token_sessions
      for each row when (old.expires_at > now() and old.client_id is not null)
      execute function identity_announce_logout()`)
    this.schema.raw(`
      create function identity_end_user_sessions() returns trigger language plpgsql as $body$
      begin
        if tg_op = 'DELETE' then
          delete from identity_token_sessions where user_id = old.id;
          return old;
        end if;
        delete from identity_token_sessions
          where user_id = new.id and (not new.active or created_at < new.sessions_since);
        return new;
      end $body$`)
    this.schema.raw(`
      create trigger users_end_sessions before delete or update of active, sessions_since on users
      for each row execute function identity_end_user_sessions()`)
  }

  async down() {
    this.schema.raw('drop trigger users_end_sessions on users')
    this.schema.raw('drop function identity_end_user_sessions')
    this.schema.raw('drop trigger identity_token_sessions_announce on identity_token_sessions')
    this.schema.raw('drop function identity_announce_logout')
    this.schema.raw('drop table identity_tasks')
  }
}
