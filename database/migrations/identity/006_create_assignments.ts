import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

/** Assignments: each table has pairs of one kind. */
const ASSIGNMENTS = [
  ['user', 'role'],
  ['user', 'permission'],
  ['role', 'permission'],
  ['client', 'role'],
  ['client', 'permission'],
] as const

export default class CreateAssignments extends BaseSchema {
  async up() {
    for (const [owner, given] of ASSIGNMENTS) {
      const table = `${owner}_${given}s`
      this.schema.raw(`
        create table ${table} (
          id uuid primary key,
          ${owner}_id uuid not null references ${owner}s on delete cascade,
          ${given}_id uuid not null references ${given}s on delete cascade,
          ${owner}_realm_id uuid references realms on delete cascade,
          ${given}_realm_id uuid references realms on delete cascade,
          policy_id uuid,
          created_at timestamptz(3) not null default now(),
          updated_at timestamptz(3) not null default now(),
          unique (${owner}_id, ${given}_id)
        )`)
      for (const column of ['id', 'realm_id']) {
        this.schema.raw(index.value(table, `${owner}_${column}`))
        this.schema.raw(index.value(table, `${given}_${column}`))
      }
      for (const column of ['policy_id', 'created_at', 'updated_at']) {
        this.schema.raw(index.value(table, column))
      }
    }
  }

  async down() {
    for (const [owner, given] of ASSIGNMENTS.toReversed()) {
      this.schema.dropTable(`${owner}_${given}s`)
    }
  }
}
