import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateClientTasks extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table client_tasks (
        client_id uuid primary key,
        task varchar(16) not null,
        permissions text[] not null,
        nothing_else boolean not null,
        attempts integer not null default 0,
        due_at timestamptz(3) not null
      )`)
    this.schema.raw('create index client_tasks_due_at on client_tasks (due_at)')
  }

  async down() {
    this.schema.dropTable('client_tasks')
  }
}
