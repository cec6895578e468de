import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Notifies of every change of access on commit, whatever causes it, including cascades. The payload is the id of the
 * account, session or token, or empty for all.
 */
const TOLD = [
  ['user_roles', 'insert or update or delete', 'user_id'],
  ['user_permissions', 'insert or update or delete', 'user_id'],
  ['client_roles', 'insert or update or delete', 'client_id'],
  ['client_permissions', 'insert or update or delete', 'client_id'],
  ['role_permissions', 'insert or update or delete', undefined],
  ['permissions', 'update of name', undefined],
  ['realms', 'update of name', undefined],
  ['users', 'update of name, active, sessions_since or delete', 'id'],
  ['clients', 'update of name, active, secret_digest or delete', 'id'],
  ['identity_token_sessions', 'delete', 'id'],
  ['identity_revoked_tokens', 'insert', 'id'],
] as const

export default class TellOfStanding extends BaseSchema {
  async up() {
    this.schema.raw(`
      create function identity_tell_standing() returns trigger language plpgsql as $body$
      declare
        about jsonb;
      begin
        about := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
        perform pg_notify('identity_standing', coalesce(about ->> tg_argv[0], ''));
        return null;
      end $body$`)
    for (const [table, events, id] of TOLD) {
      this.schema.raw(`
        create trigger ${table}_tell_standing after ${events} on ${table}
        for each row execute function identity_tell_standing(${id ? `'${id}'` : ''})`)
    }
    this.schema.raw('alter table clients add column token_generation integer not null default 0')
    this.schema.raw(`
      create function identity_end_client_tokens() returns trigger language plpgsql as $body$
      begin
        new.token_generation := old.token_generation + 1;
        return new;
      end $body$`)
    this.schema.raw(`
      create trigger clients_end_tokens before update of secret_digest, active on clients
      for each row when (
        old.secret_digest is distinct from new.secret_digest or (old.active and not new.active))
      execute function identity_end_client_tokens()`)
  }

  async down() {
    this.schema.raw('drop trigger clients_end_tokens on clients')
    this.schema.raw('drop function identity_end_client_tokens')
    this.schema.raw('alter table clients drop column token_generation')
    for (const [table] of TOLD) {
      this.schema.raw(`drop trigger ${table}_tell_standing on ${table}`)
    }
    this.schema.raw('drop function identity_tell_standing')
  }
}
