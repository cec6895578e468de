import { isGlobalPermission } from '#auth/client_permissions'
import type { ProviderPermission } from '#auth/provider'

import type { ProviderApi } from './provider_api.js'

export type Grantee = 'user' | 'client'

/**
 * The names of the permissions granted to an account, directly or through roles. Undefined if the platform may not read
 * all of them.
 */
export async function findGrantedPermissions(
  api: ProviderApi,
  kind: Grantee,
  id: string
): Promise<ReadonlySet<string> | undefined> {
  const [own, roles] = await Promise.all([
    findPermissionNames(api, `/${kind}-permissions`, `${kind}Id`, id),
    findAssignments(api, `/${kind}-roles`, `${kind}Id`, id),
  ])
  const ofRoles = await Promise.all(
    (roles ?? []).map(({ roleId }) =>
      findPermissionNames(api, '/role-permissions', 'roleId', roleId)
    )
  )
  const all = [own, ...ofRoles].filter((names) => names !== undefined)
  return roles && all.length === 1 + roles.length ? new Set(all.flat()) : undefined
}

async function findPermissionNames(api: ProviderApi, path: string, key: string, id: string) {
  const grants = await findAssignments(api, path, key, id, { include: 'permission' })
  return grants
    ?.map(({ permission }): ProviderPermission | undefined => permission)
    .filter((permission) => permission !== undefined)
    .filter(isGlobalPermission)
    .map(({ name }) => name)
}

/** Filters the result again: a provider ignores filters that it does not know. */
async function findAssignments(
  api: ProviderApi,
  path: string,
  key: string,
  id: string,
  query: Record<string, string> = {}
): Promise<any[] | undefined> {
  const rows = await api.listIfReadable(path, { [`filter[${key}]`]: id, ...query })
  return rows?.filter((row) => row[key] === id)
}
