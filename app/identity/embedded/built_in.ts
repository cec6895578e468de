import type pg from 'pg'

import { BadRequest } from '#kernel/failures'
import type { Kind, Values } from '#records/kind'

/** Throws where a record is one that the provider came with and cannot do without. */
export async function requireRemovable(pool: pg.Pool, kind: Kind, id: string): Promise<void> {
  const { rowCount } = await pool.query(
    `select 1 from ${kind.table} where id::text = lower($1) and built_in`,
    [id]
  )
  if (rowCount) {
    throw new BadRequest(`The ${kind.label} is built in and cannot be deleted`)
  }
}

/** Throws where a change gives another name to such a record: others know it by that. */
export function requireSameName(kind: Kind, { builtIn, name }: Values, change: Values): void {
  if (builtIn && change.name !== undefined && change.name !== name) {
    throw new BadRequest(`The ${kind.label} is built in and keeps its name`)
  }
}
