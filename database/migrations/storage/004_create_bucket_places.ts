import { BaseSchema } from '@adonisjs/lucid/schema'

/** The locations of a bucket's objects. No foreign key: a location exists before its bucket and after it. */
export default class CreateBucketPlaces extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table bucket_places (
        bucket_id uuid not null,
        layout text not null,
        made_at timestamptz(3) not null default now(),
        primary key (bucket_id, layout)
      )`)
  }

  async down() {
    this.schema.dropTable('bucket_places')
  }
}
