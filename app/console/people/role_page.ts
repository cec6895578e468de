import type { Page, View } from '#console/page'
import { shellWord } from '#console/shell_word'
import { byName, permissionsOfRoles, present } from './grants.js'
import { holdersOf } from './holders.js'
import type { RoleRow } from './identity_rows.js'

/** Shows a role: its permissions and its holders. */
export async function showRole(page: Page): Promise<View> {
  const id = page.uuid('id')
  const { data: role } = await page.hub.read<{ data: RoleRow }>('identity', `/roles/${id}`, {
    include: 'realm',
  })
  const [assigned, holders] = await Promise.all([
    page.hub.optional(permissionsOfRoles(page, [role])),
    holdersOf(page, 'role', id),
  ])
  return page.view('people/role', {
    title: role.displayName ?? role.name,
    crumbs: [{ path: '/people/roles', text: page.t('people.roles.title') }],
    role,
    named: shellWord(role.name),
    permissions: assigned && byName(present(assigned.map(({ permission }) => permission))),
    holders,
    changes: `/audit?kind=role&record=${id}`,
  })
}
