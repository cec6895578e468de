import type { Condition } from '#query/condition'
import type { DecodedQuery, Selection } from '#query/decode'

/** Whether a selection includes columns of the bucket. */
export function selectsBucket({ relations, fields }: Selection): boolean {
  return relations.length > 0 || fields.some((field) => field.includes('.'))
}

/** Whether a query selects, filters or sorts by columns of the bucket. */
export function queriesBucket({ selection, filters, sorts }: DecodedQuery): boolean {
  return (
    selectsBucket(selection) ||
    filtersByBucket(filters) ||
    sorts.some(({ path }) => path.length > 0)
  )
}

function filtersByBucket(condition: Condition): boolean {
  switch (condition.kind) {
    case 'leaf':
      return condition.path.length > 0
    case 'sql':
      return false
    default:
      return condition.conditions.some(filtersByBucket)
  }
}
