import { identityPool } from './database.js'

export type Holder = 'user' | 'client' | 'role'

/**
 * The ids of the permissions that are held by a user or client, itself or through roles, as a subquery. `id` is the holder's, as SQL.
 */
export function heldBy(holder: Holder, id: string): string {
  const own = `select permission_id from ${holder}_permissions where ${holder}_id = ${id}`
  return holder === 'role'
    ? own
    : `${own} union
       select given.permission_id from ${holder}_roles has
       join role_permissions given on given.role_id = has.role_id where has.${holder}_id = ${id}`
}

/** The names of the permissions that are held by a user or client. */
export async function heldNames(holder: Holder, id: string): Promise<string[]> {
  const { rows } = await identityPool().query<{ name: string }>(
    `select name from permissions where id in (${heldBy(holder, '$1')})`,
    [id]
  )
  return rows.map(({ name }) => name)
}
