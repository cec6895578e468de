import { BaseSchema } from '@adonisjs/lucid/schema'

/** When the initial secret of the client of a node or an analysis was replaced. */
export default class NoteReplacedSecrets extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table replaced_secrets (
        record_id uuid primary key,
        replaced_at timestamptz(3) not null
      )`)
  }

  async down() {
    this.schema.dropTable('replaced_secrets')
  }
}
