import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'
import { maintainTotals } from '#database/maintained_totals'

export default class CreateIdentity extends BaseSchema {
  async up() {
    const statements = [
      'create extension if not exists pg_trgm',
      ...REALMS,
      ...USERS,
      ...CLIENTS,
      ...NAMED_RECORDS,
      ...PERMISSIONS,
      ...ASSIGNMENTS.flatMap(assignment),
      ...KEYS_AND_SESSIONS,
      ...SIGN_IN_ATTEMPTS,
      ...LOGOUTS,
      ...ACCESS_CHANGES,
      ...LISTS.flatMap(([table, realm]) => maintainTotals(table, realm)),
    ]
    statements.forEach((statement) => this.schema.raw(statement))
  }
}

const TIMES = `created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()`

const REALMS = [
  `create table realms (
    id uuid primary key, name varchar(128) not null,
    display_name varchar(256), description varchar(4096),
    built_in boolean not null default false,
    ${TIMES}
  )`,
  'create unique index realms_name_key on realms (lower(name))',
  ...index.named('realms'),
  ...index.values('realms', 'created_at', 'updated_at'),
]

const USERS = [
  `create table users (
    id uuid primary key, name varchar(128) not null,
    display_name varchar(256), email varchar(320),
    active boolean not null default true, name_locked boolean not null default true,
    first_name varchar(128), last_name varchar(128),
    avatar varchar(2048), cover varchar(2048), password varchar(512),
    sessions_since timestamptz(3),
    realm_id uuid not null references realms on delete cascade,
    ${TIMES}
  )`,
  'create unique index users_name_realm_id_key on users (lower(name), realm_id)',
  ...index.named('users', 'realm_id'),
  ...index.values('users', 'active', 'realm_id', 'created_at', 'updated_at'),
]

/** Tokens of a client are bound to its `token_generation`, which its secret and `active` determine. */
const CLIENTS = [
  `create table clients (
    id uuid primary key, name varchar(128) not null,
    built_in boolean not null default false, display_name varchar(256),
    description varchar(4096), redirect_uri varchar(4096),
    active boolean not null default true, secret varchar(1024),
    secret_digest varchar(64), secret_hashed boolean not null default false,
    secret_encrypted boolean not null default true,
    grant_types varchar(512), scope varchar(512),
    base_url varchar(2048), root_url varchar(2048),
    auth_method varchar(64) not null default 'secret',
    token_binding_method varchar(64) not null default 'none',
    realm_id uuid not null references realms on delete cascade,
    ${TIMES},
    token_generation integer not null default 0,
    backchannel_logout_uri varchar(2048), post_logout_redirect_uri varchar(4096)
  )`,
  'create unique index clients_name_realm_id_key on clients (lower(name), realm_id)',
  ...index.named('clients', 'realm_id'),
  ...index.values('clients', 'realm_id', 'created_at', 'updated_at'),

  `create function identity_revoke_client_tokens() returns trigger language plpgsql as $body$
      begin
        new.token_generation := old.token_generation + 1;
        return new;
      end $body$`,
  `create trigger clients_revoke_tokens before update of secret_digest, active on clients
    for each row when (
      old.secret_digest is distinct from new.secret_digest or (old.active and not new.active))
    execute function identity_revoke_client_tokens()`,
]

/** Records whose name is unique within a realm, or among those without one. */
const NAMED_RECORDS = [
  ...named('roles', {
    before: 'target varchar(64)',
    after: 'built_in boolean not null default false',
  }),
  ...named('scopes', { before: 'built_in boolean not null default false' }),
  ...named('policies', {
    before: 'type varchar(64) not null, built_in boolean not null default false',
  }),
  ...named('identity_providers', {
    before: 'protocol varchar(64) not null, enabled boolean not null default true',
  }),
]

function named(table: string, columns: { before: string; after?: string }): string[] {
  return [
    `create table ${table} (
      id uuid primary key, name varchar(128) not null,
      display_name varchar(256), description varchar(4096),
      ${columns.before},
      realm_id uuid references realms on delete cascade,
      ${[TIMES, columns.after].filter(Boolean).join()}
    )`,
    `create unique index ${table}_name_realm_id_key on ${table} (lower(name), realm_id)
      where realm_id is not null`,
    `create unique index ${table}_name_key on ${table} (lower(name)) where realm_id is null`,
    ...index.named(table, 'realm_id'),
    ...index.values(table, 'realm_id', 'created_at', 'updated_at'),
  ]
}

const PERMISSIONS = [
  `create table permissions (
    id uuid primary key, name varchar(128) not null,
    display_name varchar(256), description varchar(4096),
    built_in boolean not null default false,
    client_id uuid references clients on delete cascade,
    policy_id uuid,
    realm_id uuid references realms on delete cascade,
    ${TIMES}
  )`,
  'create unique index permissions_name_key on permissions (lower(name))',
  ...index.named('permissions'),
  ...index.values('permissions', 'client_id', 'policy_id', 'realm_id', 'created_at', 'updated_at'),
]

/** Each table assigns records of the second kind to records of the first. */
const ASSIGNMENTS = [
  ['user', 'role'],
  ['user', 'permission'],
  ['role', 'permission'],
  ['client', 'role'],
  ['client', 'permission'],
  ['client', 'scope'],
] as const

function assignment([owner, assigned]: readonly [string, string]): string[] {
  const table = `${owner}_${assigned}s`
  const references = [`${owner}_id`, `${assigned}_id`, `${owner}_realm_id`, `${assigned}_realm_id`]
  return [
    `create table ${table} (
      id uuid primary key,
      ${owner}_id uuid not null references ${owner}s on delete cascade,
      ${assigned}_id uuid not null references ${assigned}s on delete cascade,
      ${owner}_realm_id uuid references realms on delete cascade,
      ${assigned}_realm_id uuid references realms on delete cascade,
      policy_id uuid,
      ${TIMES},
      unique (${owner}_id, ${assigned}_id)
    )`,
    ...index.values(table, ...references, 'policy_id', 'created_at', 'updated_at'),
  ]
}

const KEYS_AND_SESSIONS = [
  `create table identity_signing_keys (
    kid varchar(64) primary key,
    public_key jsonb not null, private_key text not null,
    created_at timestamptz(3) not null
  )`,

  `create table identity_token_sessions (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    client_id uuid references clients on delete cascade,
    scope varchar(512) not null, refresh_id uuid not null,
    created_at timestamptz(3) not null, expires_at timestamptz(3) not null,
    replaced_refresh_id uuid, replaced_at timestamptz(3),
    used_at timestamptz(3), address varchar(64), user_agent varchar(512)
  )`,
  ...index.plain('identity_token_sessions', 'user_id', 'client_id', 'expires_at'),

  `create table identity_login_sessions (
    id varchar(64) primary key,
    user_id uuid not null references users on delete cascade,
    created_at timestamptz(3) not null, expires_at timestamptz(3) not null,
    address varchar(64), user_agent varchar(512)
  )`,
  ...index.plain('identity_login_sessions', 'user_id', 'expires_at'),

  `create table identity_authorization_codes (
    code varchar(64) primary key,
    client_id uuid not null references clients on delete cascade,
    user_id uuid not null references users on delete cascade,
    login_session varchar(64) not null, token_session uuid not null,
    redirect_uri varchar(4096) not null, code_challenge varchar(128) not null,
    scope varchar(512) not null, nonce varchar(1024),
    expires_at timestamptz(3) not null, used_at timestamptz(3)
  )`,
  ...index.plain('identity_authorization_codes', 'user_id', 'client_id', 'expires_at'),

  `create table identity_revoked_tokens (
    id uuid primary key, expires_at timestamptz(3) not null
  )`,
  ...index.plain('identity_revoked_tokens', 'expires_at'),
]

const SIGN_IN_ATTEMPTS = [
  `create table identity_sign_in_failures (
    account varchar(64) not null, source varchar(64) not null,
    failures integer not null, since timestamptz(3) not null,
    primary key (account, source)
  )`,
  ...index.plain('identity_sign_in_failures', 'since'),

  `create table identity_sign_in_sources (
    account varchar(64) not null, source varchar(64) not null,
    seen_at timestamptz(3) not null,
    primary key (account, source)
  )`,
  ...index.plain('identity_sign_in_sources', 'seen_at'),
]

/**
 * A task is inserted for each session that ends early, by a logout, with its user, or by a change of the password.
 * Deactivating a user and changing the password delete the sessions at once. The task is due for every process, even if
 * its clock is behind that of the database.
 */
const LOGOUTS = [
  `create table identity_tasks (
    queue varchar(32) not null, key varchar(128) not null, data jsonb not null,
    revision integer not null default 1, attempts integer not null default 0,
    due_at timestamptz(3) not null, leased_until timestamptz(3),
    primary key (queue, key)
  )`,
  'create index identity_tasks_due_at on identity_tasks (queue, due_at)',

  `create function identity_enqueue_logout() returns trigger language plpgsql as $body$
      begin
        insert into identity_tasks (queue, key, data, due_at)
        select 'logout', old.id, jsonb_build_object('sessionId', old.id, 'userId', u.id,
          'realmId', r.id, 'realmName', r.name, 'clientId', c.id), now() - interval '1 minute'
        from clients c, users u join realms r on r.id = u.realm_id
        where c.id = old.client_id and c.backchannel_logout_uri is not null and u.id = old.user_id
        on conflict do nothing;
        return old;
      end $body$`,
  `create trigger identity_token_sessions_enqueue_logout before delete on identity_token_sessions
    for each row when (old.expires_at > now() and old.client_id is not null)
    execute function identity_enqueue_logout()`,

  `create function identity_end_user_sessions() returns trigger language plpgsql as $body$
      begin
        if tg_op = 'DELETE' then
          delete from identity_token_sessions where user_id = old.id;
          return old;
        end if;
        delete from identity_token_sessions
          where user_id = new.id and (not new.active or created_at < new.sessions_since);
        return new;
      end $body$`,
  `create trigger users_end_sessions before delete or update of active, sessions_since on users
    for each row execute function identity_end_user_sessions()`,
]

/**
 * The changes that processes are notified of on commit, whatever causes them, including cascades. The payload is the id
 * of the account, session or token in that column, or empty for all.
 */
const NOTIFIED = [
  ['user_roles', 'insert or update or delete', 'user_id'],
  ['user_permissions', 'insert or update or delete', 'user_id'],
  ['client_roles', 'insert or update or delete', 'client_id'],
  ['client_permissions', 'insert or update or delete', 'client_id'],
  ['role_permissions', 'insert or update or delete'],
  ['permissions', 'update of name'],
  ['realms', 'update of name'],
  ['users', 'update of name, active, sessions_since or delete', 'id'],
  ['clients', 'update of name, active, secret_digest or delete', 'id'],
  ['identity_token_sessions', 'delete', 'id'],
  ['identity_revoked_tokens', 'insert', 'id'],
] as const

const ACCESS_CHANGES = [
  `create function identity_notify_access() returns trigger language plpgsql as $body$
  declare
    changed jsonb;
  begin
    changed := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
    perform pg_notify('identity_access', coalesce(changed ->> tg_argv[0], ''));
    return null;
  end $body$`,
  ...NOTIFIED.map(
    ([table, events, id]) => `
      create trigger ${table}_notify_access after ${events} on ${table}
      for each row execute function identity_notify_access(${id ? `'${id}'` : ''})`
  ),
]

/** The lists with maintained totals, each with its realm column. */
const LISTS = [
  ['client_permissions', 'client_realm_id'],
  ['client_roles', 'client_realm_id'],
  ['client_scopes', 'client_realm_id'],
  ['clients', 'realm_id'],
  ['identity_providers', 'realm_id'],
  ['permissions', 'realm_id'],
  ['policies', 'realm_id'],
  ['realms', 'id'],
  ['role_permissions', 'role_realm_id'],
  ['roles', 'realm_id'],
  ['scopes', 'realm_id'],
  ['user_permissions', 'user_realm_id'],
  ['user_roles', 'user_realm_id'],
  ['users', 'realm_id'],
] as const
