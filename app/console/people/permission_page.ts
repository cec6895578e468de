import type { Page, View } from '#console/page'
import { everyRecord } from '#console/every_record'
import { byName, present } from './grants.js'
import { holdersOf, type Holders } from './holders.js'
import type { AssignmentRow, PermissionRow, RoleRow } from './identity_rows.js'

interface RoleHolders {
  readonly role: RoleRow
  readonly holders: Holders
}

/** Shows the holders of a permission: direct grants, and those of each role with it. */
export async function showPermission(page: Page): Promise<View> {
  const id = page.uuid('id')
  const { data: permission } = await page.hub.read<{ data: PermissionRow }>(
    'identity',
    `/permissions/${id}`
  )
  const [direct, roles] = await Promise.all([
    holdersOf(page, 'permission', id),
    page.hub.optional(rolesWith(page, id)),
  ])
  return page.view('people/permission', {
    title: permission.name,
    crumbs: [{ path: '/people/permissions', text: page.t('people.permissions.title') }],
    permission,
    direct,
    roles,
  })
}

async function rolesWith(page: Page, permissionId: string): Promise<RoleHolders[]> {
  const assigned = await everyRecord<AssignmentRow>(page.hub, 'identity', '/role-permissions', {
    'filter[permissionId]': permissionId,
    'include': 'role',
  })
  const roles = byName(present(assigned.map(({ role }) => role)))
  return Promise.all(
    roles.map(async (role) => ({ role, holders: await holdersOf(page, 'role', role.id) }))
  )
}
