import type { DatabasePool } from '#database/database_pool'
import { RelationInvalid } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Kind } from './kind.js'
import { RecordStore } from './record_store.js'
import type { Attributes } from './row.js'

/** Throws if the body references records that do not exist. */
export async function requireRelations(
  { relations }: Kind,
  pool: DatabasePool,
  body: Attributes
): Promise<void> {
  const dangling = await Promise.all(
    Object.values(relations).map(async ({ to, by }) => {
      const id = body[by]
      const isFound = typeof id !== 'string' || (await new RecordStore(to(), pool).exists(id))
      return isFound ? [] : [issue('value_invalid', [by], `No ${to().label} has this id`)]
    })
  )
  const issues = dangling.flat()
  if (issues.length > 0) {
    throw new RelationInvalid('The body names a record that does not exist', { issues })
  }
}
