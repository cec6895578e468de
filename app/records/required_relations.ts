import type { DatabasePool } from '#database/database_pool'
import { RelationInvalid } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Kind, Values } from './kind.js'
import { RecordStore } from './record_store.js'

/** Throws where a body names records that are not there. */
export async function requireRelations(
  { relations }: Kind,
  pool: DatabasePool,
  body: Values
): Promise<void> {
  const named = Object.values(relations).filter(
    ({ by }) => body[by] !== undefined && body[by] !== null
  )
  const dangling = await Promise.all(
    named.map(async ({ to, by }) => {
      const found = await new RecordStore(to(), pool).exists(body[by] as string)
      return found ? [] : [issue('value_invalid', [by], `No ${to().label} has this id`)]
    })
  )
  const issues = dangling.flat()
  if (issues.length > 0) {
    throw new RelationInvalid('The body names a record that does not exist', { issues })
  }
}
