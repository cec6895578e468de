import type pg from 'pg'

import { BadRequest } from '#kernel/failures'
import type { Kind } from '#records/kind'

/** A record that others may know by its name. */
interface Named {
  readonly name: string
  readonly builtIn: boolean
}

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
export function requireSameName(
  { label }: Kind,
  { builtIn, name }: Named,
  change: Partial<Named>
): void {
  if (builtIn && change.name !== undefined && change.name !== name) {
    throw new BadRequest(`The ${label} is built in and keeps its name`)
  }
}
