import type pg from 'pg'

import type { Actor } from '#http/actor'
import { PermissionDenied } from '#http/failures'
import { identityPool } from '#identity/embedded/database'

export type Holder = 'user' | 'client' | 'role'

/**
 * The ids of the permissions somebody holds, themselves or through roles, as a subquery. `id` is the holder's, as SQL.
 */
export function heldBy(holder: Holder, id: string): string {
  const own = `select permission_id from ${holder}_permissions where ${holder}_id = ${id}`
  return holder === 'role'
    ? own
    : `${own} union
       select given.permission_id from ${holder}_roles has
       join role_permissions given on given.role_id = has.role_id where has.${holder}_id = ${id}`
}

/** The names of the permissions somebody holds. */
export async function heldNames(holder: Holder, id: string): Promise<string[]> {
  const { rows } = await identityPool().query<{ name: string }>(
    `select name from permissions where id in (${heldBy(holder, '$1')})`,
    [id]
  )
  return rows.map(({ name }) => name)
}

/** Those of them that are not among `names`, an array in SQL; by name, since a name is what lets somebody do something. */
export function heldBeyond(holder: Holder, id: string, names: string): string {
  return `select name from permissions
    where id in (${heldBy(holder, id)}) and name <> all(${names}::text[]) order by name`
}

/**
 * Throws where somebody holds permissions that the actor lacks: who takes over their login would get these as well.
 */
export async function requireNotStronger(
  pool: pg.Pool,
  { permissions }: Actor,
  holder: Holder,
  id: string
): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(heldBeyond(holder, '$1', '$2'), [
    id,
    [...permissions],
  ])
  if (rows.length > 0) {
    throw PermissionDenied.missing(rows.map(({ name }) => name))
  }
}
