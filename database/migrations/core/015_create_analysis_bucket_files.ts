import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateAnalysisBucketFiles extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table analysis_bucket_files (
        id uuid primary key,
        path varchar(256) not null,
        root boolean not null default false,
        bucket_id uuid not null,
        bucket_file_id uuid not null,
        client_id uuid,
        robot_id uuid,
        user_id uuid,
        realm_id uuid not null,
        analysis_id uuid not null references analyses on delete cascade,
        analysis_bucket_id uuid not null references analysis_buckets on delete cascade,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        unique (analysis_bucket_id, path),
        unique (analysis_bucket_id, bucket_file_id)
      )`)
    const table = 'analysis_bucket_files'
    this.schema.raw(
      'create index "analysis_bucket_files_analysis_id_path" on analysis_bucket_files (analysis_id, path)'
    )
    this.schema.raw(index.text(table, 'path'))
    this.schema.raw(index.match(table, 'path'))
    this.schema.raw(index.textOrder(table, 'path'))
    for (const column of ['root', 'analysis_bucket_id', 'bucket_file_id', 'user_id']) {
      this.schema.raw(index.value(table, column))
    }
    this.schema.raw(index.value(table, 'created_at'))
    this.schema.raw(index.value(table, 'updated_at'))
  }

  async down() {
    this.schema.dropTable('analysis_bucket_files')
  }
}
