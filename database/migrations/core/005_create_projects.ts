import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateProjects extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table projects (
        id uuid primary key,
        name varchar(256) not null unique,
        display_name varchar(256),
        description text,
        nodes integer not null default 0,
        analyses integer not null default 0,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        realm_id uuid not null,
        client_id uuid,
        robot_id uuid,
        user_id uuid,
        master_image_id uuid
      )`)
    const table = 'projects'
    index.named(table).forEach((statement) => this.schema.raw(statement))
    this.schema.raw(index.textOrder(table, 'display_name'))
    for (const column of ['realm_id', 'user_id', 'master_image_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('projects')
  }
}
