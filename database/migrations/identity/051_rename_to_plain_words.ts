import { BaseSchema } from '@adonisjs/lucid/schema'

import { renameColumn } from '#database/renames'

const NOTIFYING = [
  'user_roles',
  'user_permissions',
  'client_roles',
  'client_permissions',
  'role_permissions',
  'permissions',
  'realms',
  'users',
  'clients',
  'identity_token_sessions',
  'identity_revoked_tokens',
] as const

/** Names that the manual of PostgreSQL explains. Processes of earlier versions must have ended. */
export default class RenameToPlainWords extends BaseSchema {
  async up() {
    const statements = [
      ...renameColumn('identity_tasks', 'taken_until', 'leased_until'),
      ...NOTIFYING.map(
        (table) =>
          `alter trigger ${table}_tell_standing on ${table} rename to ${table}_notify_access`
      ),
      'alter function identity_tell_standing rename to identity_notify_access',
      NOTIFY_ACCESS,
      'alter trigger clients_end_tokens on clients rename to clients_revoke_tokens',
      'alter function identity_end_client_tokens rename to identity_revoke_client_tokens',
      `alter trigger identity_token_sessions_announce on identity_token_sessions
        rename to identity_token_sessions_enqueue_logout`,
      'alter function identity_announce_logout rename to identity_enqueue_logout',
    ]
    statements.forEach((statement) => this.schema.raw(statement))
  }
}

const NOTIFY_ACCESS = `
  create or replace function identity_notify_access() returns trigger language plpgsql as $body$
  declare
    changed jsonb;
  begin
    changed := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
    perform pg_notify('identity_access', coalesce(changed ->> tg_argv[0], ''));
    return null;
  end $body$`
