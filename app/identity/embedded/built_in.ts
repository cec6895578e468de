import type pg from 'pg'

import { BadRequest } from '#kernel/failures'
import type { Kind } from '#records/kind'
import type { Attributes } from '#records/row'

/** Throws for a built-in record, which the provider cannot work without. */
export async function requireRemovable(pool: pg.Pool, kind: Kind, id: string): Promise<void> {
  if (!('builtIn' in kind.columns)) {
    return
  }
  const { rowCount } = await pool.query(
    `select 1 from ${kind.table} where id::text = lower($1) and built_in`,
    [id]
  )
  if (rowCount) {
    throw new BadRequest(`The ${kind.label} is built in and cannot be deleted`)
  }
}

/** Throws if a change renames a built-in record, which is referenced by name. */
export function requireSameName({ label }: Kind, previous: Attributes, { name }: Attributes): void {
  if (previous.builtIn && name !== undefined && name !== previous.name) {
    throw new BadRequest(`The ${label} is built in and keeps its name`)
  }
}
