import { identityPool } from './database.js'

export type Grantee = 'user' | 'client' | 'role'

/**
 * The ids of the permissions that are held by a user or client, itself or through roles, as a subquery. `id` is the holder's, as SQL.
 */
export function grantedPermissionIds(grantee: Grantee, id: string): string {
  const own = `select permission_id from ${grantee}_permissions where ${grantee}_id = ${id}`
  return grantee === 'role'
    ? own
    : `${own} union
       select given.permission_id from ${grantee}_roles has
       join role_permissions given on given.role_id = has.role_id where has.${grantee}_id = ${id}`
}

/** The names of the permissions that are held by a user or client. */
export async function grantedPermissionNames(grantee: Grantee, id: string): Promise<string[]> {
  const { rows } = await identityPool().query<{ name: string }>(
    `select name from permissions where id in (${grantedPermissionIds(grantee, '$1')})`,
    [id]
  )
  return rows.map(({ name }) => name)
}
