import { identityPool } from './database.js'

export type Grantee = 'user' | 'client' | 'role'

/** A subquery of the permission ids of an account, direct or through roles. `id` is its id as SQL. */
export function grantedPermissionIds(grantee: Grantee, id: string): string {
  const own = `select permission_id from ${grantee}_permissions where ${grantee}_id = ${id}`
  return grantee === 'role'
    ? own
    : `${own} union
       select given.permission_id from ${grantee}_roles has
       join role_permissions given on given.role_id = has.role_id where has.${grantee}_id = ${id}`
}

/** The names of the permissions of an account. */
export async function grantedPermissionNames(grantee: Grantee, id: string): Promise<string[]> {
  const { rows } = await identityPool().query<{ name: string }>(
    `select name from permissions where id in (${grantedPermissionIds(grantee, '$1')})`,
    [id]
  )
  return rows.map(({ name }) => name)
}
