import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'

interface Permission extends Fields {
  readonly name: string
  readonly description: string | null
}

interface RolePermission extends Fields {
  readonly permission: Permission
}

/** The permissions of a role, sorted by name. */
export async function permissionsOfRole(api: Api, roleId: string): Promise<readonly Permission[]> {
  const assignments = await allOf<RolePermission>(api, 'identity', '/role-permissions', {
    query: [
      ['filter[roleId]', roleId],
      ['include', 'permission'],
    ],
  })
  return assignments
    .map(({ permission }) => permission)
    .toSorted((one, other) => one.name.localeCompare(other.name))
}
