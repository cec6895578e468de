import { BaseSchema } from '@adonisjs/lucid/schema'

/** The backups that were taken, so that operators see the age of the last one. */
export default class NoteBackups extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table backups (
        id varchar(64) primary key,
        began_at timestamptz(3) not null,
        ended_at timestamptz(3) not null,
        version varchar(64) not null
      )`)
  }

  async down() {
    this.schema.dropTable('backups')
  }
}
