import { BaseSchema } from '@adonisjs/lucid/schema'

/** One table for all tasks. Pending tasks of three former tables are moved there. */
export default class CreateTasks extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table tasks (
        queue varchar(32) not null,
        key varchar(128) not null,
        data jsonb not null,
        revision integer not null default 1,
        attempts integer not null default 0,
        due_at timestamptz(3) not null,
        taken_until timestamptz(3),
        primary key (queue, key)
      )`)
    this.schema.raw('create index tasks_due_at on tasks (queue, due_at)')
    this.schema.raw(`
      insert into tasks (queue, key, data, attempts, due_at)
      select 'client', client_id, jsonb_build_object('task', task, 'permissions', permissions,
        'nothingElse', nothing_else), attempts, due_at from client_tasks`)
    this.schema.raw(`
      insert into tasks (queue, key, data, attempts, due_at)
      select 'client-intent', record_id,
        jsonb_build_object('recordId', record_id, 'realmId', realm_id),
        case when abandoned_at is null then 0 else 1 end,
        coalesce(abandoned_at, created_at + interval '10 minutes') from client_intents`)
    this.schema.raw(`
      insert into tasks (queue, key, data, revision, attempts, due_at, taken_until)
      select 'registry-link', registry_id || '/' || external_name,
        jsonb_build_object('registryId', registry_id, 'externalName', external_name),
        revision, attempts, due_at, taken_until from registry_links where due_at is not null`)
    this.schema.raw('drop table client_tasks, client_intents')
    this.schema.raw(`alter table registry_links drop column revision, drop column attempts,
      drop column due_at, drop column taken_until`)
  }

  async down() {
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
    this.schema.raw(`
      insert into client_tasks select key::uuid, data->>'task',
        array(select jsonb_array_elements_text(data->'permissions')),
        (data->'nothingElse')::boolean, attempts, due_at from tasks where queue = 'client'`)
    this.schema.raw(`
      create table client_intents (
        record_id uuid primary key,
        realm_id uuid not null,
        created_at timestamptz(3) not null,
        abandoned_at timestamptz(3)
      )`)
    this.schema.raw('create index client_intents_created_at on client_intents (created_at)')
    this.schema.raw(`
      insert into client_intents select key::uuid, (data->>'realmId')::uuid,
        due_at - interval '10 minutes', case when attempts > 0 then due_at end
      from tasks where queue = 'client-intent'`)
    this.schema.raw(`alter table registry_links add column revision integer not null default 1,
      add column attempts integer not null default 0, add column due_at timestamptz(3),
      add column taken_until timestamptz(3)`)
    this.schema.raw(`
      update registry_links l set revision = t.revision, attempts = t.attempts, due_at = t.due_at,
        taken_until = t.taken_until
      from tasks t where t.queue = 'registry-link'
        and t.key = l.registry_id || '/' || l.external_name`)
    this.schema.raw(
      'create index registry_links_due_at on registry_links (due_at) where due_at is not null'
    )
    this.schema.raw('drop table tasks')
  }
}
