import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateBucketFiles extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table bucket_files (
        id uuid primary key,
        name varchar(256) not null,
        path varchar(512) not null,
        directory varchar(512),
        hash varchar(4096) not null,
        layout text not null default 'own',
        sha256 text,
        size bigint,
        actor_type varchar(64) not null,
        actor_id uuid not null,
        realm_id uuid,
        bucket_id uuid not null references buckets on delete cascade,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        unique (bucket_id, path)
      )`)
    const table = 'bucket_files'
    for (const column of ['name', 'directory']) {
      this.schema.raw(index.text(table, column))
      this.schema.raw(index.match(table, column))
      this.schema.raw(index.textOrder(table, column))
    }
    this.schema.raw(index.text(table, 'actor_type'))
    this.schema.raw('create index bucket_files_object on bucket_files (bucket_id, hash)')
    for (const column of ['actor_id', 'realm_id', 'bucket_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('bucket_files')
  }
}
