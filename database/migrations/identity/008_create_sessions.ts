import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateSessions extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table identity_token_sessions (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        client_id uuid references clients on delete cascade,
        scope varchar(512) not null,
        refresh_id uuid not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      )`)
    this.schema.raw(`
      create table identity_login_sessions (
        id varchar(64) primary key,
        user_id uuid not null references users on delete cascade,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      )`)
    this.schema.raw(`
      create table identity_authorization_codes (
        code varchar(64) primary key,
        client_id uuid not null references clients on delete cascade,
        user_id uuid not null references users on delete cascade,
        login_session varchar(64) not null,
        token_session uuid not null,
        redirect_uri varchar(4096) not null,
        code_challenge varchar(128) not null,
        scope varchar(512) not null,
        nonce varchar(1024),
        expires_at timestamptz(3) not null,
        used_at timestamptz(3)
      )`)
    this.schema.raw(`
      create table identity_revoked_tokens (
        id uuid primary key,
        expires_at timestamptz(3) not null
      )`)
    for (const table of ['token_sessions', 'login_sessions', 'authorization_codes']) {
      this.schema.raw(`create index identity_${table}_user_id on identity_${table} (user_id)`)
    }
    for (const table of ['token_sessions', 'authorization_codes']) {
      this.schema.raw(`create index identity_${table}_client_id on identity_${table} (client_id)`)
    }
    for (const table of [
      'token_sessions',
      'login_sessions',
      'authorization_codes',
      'revoked_tokens',
    ]) {
      this.schema.raw(`create index identity_${table}_expires_at on identity_${table} (expires_at)`)
    }
  }

  async down() {
    this.schema.dropTable('identity_revoked_tokens')
    this.schema.dropTable('identity_authorization_codes')
    this.schema.dropTable('identity_login_sessions')
    this.schema.dropTable('identity_token_sessions')
  }
}
