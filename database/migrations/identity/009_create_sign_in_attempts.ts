import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateSignInAttempts extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table identity_sign_in_failures (
        account varchar(64) not null,
        source varchar(64) not null,
        failures integer not null,
        since timestamptz(3) not null,
        primary key (account, source)
      )`)
    this.schema.raw(
      'create index identity_sign_in_failures_since on identity_sign_in_failures (since)'
    )
    this.schema.raw(`
      create table identity_sign_in_sources (
        account varchar(64) not null,
        source varchar(64) not null,
        seen_at timestamptz(3) not null,
        primary key (account, source)
      )`)
    this.schema.raw(
      'create index identity_sign_in_sources_seen_at on identity_sign_in_sources (seen_at)'
    )
  }

  async down() {
    this.schema.dropTable('identity_sign_in_sources')
    this.schema.dropTable('identity_sign_in_failures')
  }
}
