import { BaseSchema } from '@adonisjs/lucid/schema'

/** Public keys of images that are still accepted but no longer sign images. */
export default class CreateImageKeys extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table image_keys (
        fingerprint text primary key,
        public_key text not null,
        accepted_at timestamptz(3) not null default now()
      )`)
  }

  async down() {
    this.schema.dropTable('image_keys')
  }
}
