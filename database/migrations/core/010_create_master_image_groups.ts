import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateMasterImageGroups extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table master_image_groups (
        id uuid primary key,
        name varchar(128) not null,
        path varchar(512) not null,
        virtual_path varchar(512) not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    for (const column of ['name', 'path', 'virtual_path']) {
      this.schema.raw(index.text('master_image_groups', column))
      this.schema.raw(index.match('master_image_groups', column))
    }
  }

  async down() {
    this.schema.dropTable('master_image_groups')
  }
}
