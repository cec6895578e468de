import { BaseSchema } from '@adonisjs/lucid/schema'

/** Stores the replaced refresh token, the last use and the origin of a session. */
export default class DescribeSessions extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table identity_token_sessions
        add column replaced_refresh_id uuid,
        add column replaced_at timestamptz(3),
        add column used_at timestamptz(3),
        add column address varchar(64),
        add column user_agent varchar(512)`)
    this.schema.raw(`
      alter table identity_login_sessions
        add column address varchar(64),
        add column user_agent varchar(512)`)
  }

  async down() {
    this.schema.raw(
      'alter table identity_login_sessions drop column address, drop column user_agent'
    )
    this.schema.raw(`
      alter table identity_token_sessions
        drop column replaced_refresh_id,
        drop column replaced_at,
        drop column used_at,
        drop column address,
        drop column user_agent`)
  }
}
