import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateEvents extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table events (
        id uuid primary key,
        scope varchar(64) not null,
        name varchar(64) not null,
        ref_type varchar(64) not null,
        ref_id varchar(64),
        data text,
        expiring boolean not null default false,
        request_path varchar(256),
        request_method varchar(10),
        request_ip_address varchar(45),
        request_user_agent varchar(512),
        actor_type varchar(64),
        actor_id uuid,
        actor_name varchar(64),
        realm_id uuid,
        expires_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'events'
    this.schema.raw(index.text(table, 'scope'))
    this.schema.raw(index.text(table, 'name', 'scope'))
    this.schema.raw(index.text(table, 'ref_type', 'ref_id'))
    this.schema.raw(index.text(table, 'ref_id'))
    this.schema.raw(index.value(table, 'realm_id'))
    this.schema.raw(index.value(table, 'created_at'))
    this.schema.raw('create index events_expires_at on events (expires_at) where expiring')
  }

  async down() {
    this.schema.dropTable('events')
  }
}
