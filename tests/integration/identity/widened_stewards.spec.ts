import { test } from '@japa/runner'

import CreateRealms from '#migrations/identity/001_create_realms'
import CreateUsers from '#migrations/identity/002_create_users'
import CreateClients from '#migrations/identity/003_create_clients'
import CreateRoles from '#migrations/identity/004_create_roles'
import CreatePermissions from '#migrations/identity/005_create_permissions'
import CreateAssignments from '#migrations/identity/006_create_assignments'
import MarkBuiltInRoles from '#migrations/identity/021_mark_built_in_roles'
import WidenStewards from '#migrations/identity/026_widen_stewards'
import { emptyDatabase } from '#tests/helpers/database/empty_database'

test.group('An installation from before stewards decided', () => {
  test('lets the built-in role decide, and no role of the same name', async ({
    assert,
    cleanup,
  }) => {
    const database = await emptyDatabase()
    cleanup(() => database.stop())
    const { pool } = database
    await database.up(CreateRealms, CreateUsers, CreateClients, CreateRoles)
    await database.up(CreatePermissions, CreateAssignments)
    await pool.query(
      `insert into realms (id, name) values ('00000000-0000-4000-8000-000000000001', 'north')`
    )
    await pool.query(
      `insert into roles (id, name, realm_id) values (gen_random_uuid(), 'steward', null),
         (gen_random_uuid(), 'steward', '00000000-0000-4000-8000-000000000001')`
    )
    await pool.query(
      `insert into permissions (id, name, built_in) values (gen_random_uuid(), 'project_approve', true),
         (gen_random_uuid(), 'analysis_approve', true), (gen_random_uuid(), 'node_delete', true)`
    )
    await database.up(MarkBuiltInRoles, WidenStewards)
    const { rows } = await pool.query(
      `select r.realm_id as "realmId", p.name from role_permissions g
       join roles r on r.id = g.role_id join permissions p on p.id = g.permission_id order by p.name`
    )
    assert.deepEqual(rows, [
      { realmId: null, name: 'analysis_approve' },
      { realmId: null, name: 'project_approve' },
    ])
  })
})
