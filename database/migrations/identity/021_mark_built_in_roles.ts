import { BaseSchema } from '@adonisjs/lucid/schema'

export default class MarkBuiltInRoles extends BaseSchema {
  async up() {
    this.schema.raw('alter table roles add column built_in boolean not null default false')
    this.schema.raw(
      `update roles set built_in = true
       where realm_id is null and name in ('admin', 'researcher', 'steward')`
    )
  }

  async down() {
    this.schema.raw('alter table roles drop column built_in')
  }
}
