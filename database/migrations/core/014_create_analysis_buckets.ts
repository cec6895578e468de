import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateAnalysisBuckets extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table analysis_buckets (
        id uuid primary key,
        type varchar(64) not null,
        bucket_id uuid not null,
        analysis_id uuid not null references analyses on delete cascade,
        realm_id uuid not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        unique (analysis_id, type)
      )`)
    const table = 'analysis_buckets'
    this.schema.raw(index.text(table, 'type'))
    this.schema.raw(index.textOrder(table, 'type'))
    this.schema.raw(index.value(table, 'analysis_id'))
    this.schema.raw(index.value(table, 'bucket_id'))
    this.schema.raw(index.value(table, 'created_at'))
    this.schema.raw(index.value(table, 'updated_at'))
  }

  async down() {
    this.schema.dropTable('analysis_buckets')
  }
}
