import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateMasterImages extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table master_images (
        id uuid primary key,
        name varchar not null,
        path varchar(512),
        virtual_path varchar(512) not null,
        group_virtual_path varchar(512) not null,
        command text,
        command_arguments text,
        build_status varchar(64),
        build_progress integer,
        build_hash varchar(135),
        build_size bigint,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'master_images'
    this.schema.raw(
      'create index "master_images_name_hash" on master_images using hash (lower(name))'
    )
    this.schema.raw(index.match(table, 'name'))
    for (const column of ['path', 'virtual_path', 'group_virtual_path']) {
      this.schema.raw(index.text(table, column))
      this.schema.raw(index.match(table, column))
    }
    this.schema.raw(index.textOrder(table, 'path'))
  }

  async down() {
    this.schema.dropTable('master_images')
  }
}
