import type { Page } from '#console/page'
import { everyRecord } from '#console/every_record'
import type { AssignmentRow, PermissionRow, RoleRow } from './identity_rows.js'

/** A permission and the roles that grant it; no roles if it was granted directly. */
interface GrantedPermission {
  readonly permission: PermissionRow
  readonly roles: readonly RoleRow[]
}

interface Grants {
  readonly roles: readonly RoleRow[]
  readonly permissions: readonly GrantedPermission[]
  /** Whether the reader may see the permissions of roles. */
  readonly isComplete: boolean
}

/** The roles of an account, and its permissions by roles or direct grants; undefined if the reader may not see them. */
export async function grantsOf(
  page: Page,
  owner: 'user' | 'client',
  id: string
): Promise<Grants | undefined> {
  const assigned = (what: 'role' | 'permission') =>
    everyRecord<AssignmentRow>(page.hub, 'identity', `/${owner}-${what}s`, {
      [`filter[${owner}Id]`]: id,
      include: what,
    })
  const own = await page.hub.optional(Promise.all([assigned('role'), assigned('permission')]))
  if (own === undefined) {
    return undefined
  }
  const [byRole, direct] = own
  const roles = present(byRole.map(({ role }) => role))
  const ofRoles = await page.hub.optional(permissionsOfRoles(page, roles))
  return {
    roles: byName(roles),
    permissions: merged(roles, ofRoles ?? [], present(direct.map(({ permission }) => permission))),
    isComplete: ofRoles !== undefined,
  }
}

/** The assignments of permissions to roles. */
export async function permissionsOfRoles(
  page: Page,
  roles: readonly RoleRow[]
): Promise<AssignmentRow[]> {
  const lists = await Promise.all(
    roles.map(({ id }) =>
      everyRecord<AssignmentRow>(page.hub, 'identity', '/role-permissions', {
        'filter[roleId]': id,
        'include': 'permission',
      })
    )
  )
  return lists.flat()
}

function merged(
  roles: readonly RoleRow[],
  ofRoles: readonly AssignmentRow[],
  direct: readonly PermissionRow[]
): GrantedPermission[] {
  const found = new Map<string, { permission: PermissionRow; roles: RoleRow[] }>()
  const entryFor = (permission: PermissionRow) => {
    const entry = found.get(permission.id) ?? { permission, roles: [] }
    found.set(permission.id, entry)
    return entry
  }
  direct.forEach(entryFor)
  for (const { roleId, permission } of ofRoles) {
    const role = roles.find(({ id }) => id === roleId)
    if (permission && role) {
      entryFor(permission).roles.push(role)
    }
  }
  return [...found.values()].toSorted((one, other) =>
    one.permission.name.localeCompare(other.permission.name)
  )
}

/** Drops related records that the reader may not see. */
export const present = <Row>(rows: readonly (Row | null | undefined)[]): Row[] =>
  rows.filter((row): row is Row => row !== null && row !== undefined)

export const byName = <Row extends { readonly name: string }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => one.name.localeCompare(other.name))
