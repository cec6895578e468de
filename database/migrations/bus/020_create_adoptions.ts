import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * What was taken over from the former platform: how far each table is, and what each row was there when it was taken. Only what is
 * still as it was taken may follow its source.
 */
export default class CreateAdoptions extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table adoption_runs (
        surface text primary key,
        is_open boolean not null default true,
        begun_at timestamptz(3) not null default now(),
        ended_at timestamptz(3)
      )`)
    this.schema.raw(`
      create table adoptions (
        list text collate "C" primary key,
        place jsonb,
        through_at timestamptz(3)
      )`)
    this.schema.raw(`
      create table adopted_rows (
        list text collate "C" not null,
        id uuid not null,
        digest bytea not null,
        taken_at timestamptz(3) not null default now(),
        primary key (list, id)
      )`)
  }

  async down() {
    this.schema.dropTable('adopted_rows')
    this.schema.dropTable('adoptions')
    this.schema.dropTable('adoption_runs')
  }
}
