import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateBuckets extends BaseSchema {
  async up() {
    this.schema.raw('create extension if not exists pg_trgm')
    this.schema.raw(`
      create table buckets (
        id uuid primary key,
        name varchar(256) not null,
        region varchar(256),
        actor_id uuid,
        actor_type varchar(64),
        realm_id uuid,
        ref_type varchar(64),
        ref_id varchar(64),
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'buckets'
    this.schema.raw(index.text(table, 'name'))
    this.schema.raw(index.match(table, 'name'))
    this.schema.raw(index.text(table, 'actor_type'))
    this.schema.raw(index.text(table, 'ref_type', 'ref_id'))
    for (const column of ['actor_id', 'realm_id', 'ref_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('buckets')
  }
}
