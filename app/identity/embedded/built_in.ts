import type pg from 'pg'

import { BadRequest } from '#kernel/failures'
import type { Kind } from '#records/kind'

/** A record that may be referenced by name. */
interface Named {
  readonly name: string
  readonly builtIn: boolean
}

/** Throws for a built-in record, which the provider cannot work without. */
export async function requireRemovable(pool: pg.Pool, kind: Kind, id: string): Promise<void> {
  const { rowCount } = await pool.query(
    `select 1 from ${kind.table} where id::text = lower($1) and built_in`,
    [id]
  )
  if (rowCount) {
    throw new BadRequest(`The ${kind.label} is built in and cannot be deleted`)
  }
}

/** Throws if a change renames a built-in record, which is referenced by name. */
export function requireSameName(
  { label }: Kind,
  { builtIn, name }: Named,
  change: Partial<Named>
): void {
  if (builtIn && change.name !== undefined && change.name !== name) {
    throw new BadRequest(`The ${label} is built in and keeps its name`)
  }
}
