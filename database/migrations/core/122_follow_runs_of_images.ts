import { BaseSchema } from '@adonisjs/lucid/schema'

/** The current run of each build of a master image, and of the synchronization: reports must name it. */
export default class FollowRunsOfImages extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table master_image_runs (
        subject varchar(36) primary key,
        run varchar(64) not null,
        begun_at timestamptz not null default now()
      )`)
  }

  async down() {
    this.schema.dropTable('master_image_runs')
  }
}
