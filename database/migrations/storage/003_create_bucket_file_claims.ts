import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateBucketFileClaims extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table bucket_file_claims (
        id uuid primary key,
        bucket_id uuid not null references buckets on delete cascade,
        path varchar(512) not null,
        hash varchar(4096) not null,
        layout text not null,
        held_until timestamptz(3) not null,
        created_at timestamptz(3) not null default now(),
        unique (bucket_id, path)
      )`)
    this.schema.raw(
      'create index bucket_file_claims_object on bucket_file_claims (bucket_id, hash)'
    )
    this.schema.raw('create index bucket_file_claims_held_until on bucket_file_claims (held_until)')
  }

  async down() {
    this.schema.dropTable('bucket_file_claims')
  }
}
