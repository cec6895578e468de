import { BaseSchema } from '@adonisjs/lucid/schema'

const GRANTED = `('project_approve', 'analysis_approve')`

/** Stewards of nodes also decide on participation. Only the built-in role is changed. */
export default class WidenStewards extends BaseSchema {
  async up() {
    this.schema.raw(`
      insert into role_permissions (id, role_id, permission_id)
      select gen_random_uuid(), r.id, p.id from roles r, permissions p
      where r.name = 'steward' and r.built_in and r.realm_id is null and p.built_in and p.name in ${GRANTED}
      on conflict do nothing`)
  }

  async down() {
    this.schema.raw(`
      delete from role_permissions g using roles r, permissions p
      where g.role_id = r.id and g.permission_id = p.id
        and r.name = 'steward' and r.built_in and r.realm_id is null and p.name in ${GRANTED}`)
  }
}
