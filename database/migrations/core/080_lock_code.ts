import { BaseSchema } from '@adonisjs/lucid/schema'

/** The lock at storage of each analysis with a locked configuration. There is no foreign key: a lock outlives its analysis. */
export default class LockCode extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table analysis_code_locks (
        id uuid primary key,
        analysis_id uuid not null unique,
        created_at timestamptz(3) not null default now()
      )`)
  }

  async down() {
    this.schema.dropTable('analysis_code_locks')
  }
}
