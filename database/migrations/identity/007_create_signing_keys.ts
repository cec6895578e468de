import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateSigningKeys extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table identity_signing_keys (
        kid varchar(64) primary key,
        public_key jsonb not null,
        private_key text not null,
        created_at timestamptz(3) not null
      )`)
  }

  async down() {
    this.schema.dropTable('identity_signing_keys')
  }
}
