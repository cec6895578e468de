import type { DroppedKeys } from './dropped_keys.js'
import type { QueryParameter } from './errors.js'
import type { ParsedQueryString } from './query_string.js'

/** Query parameters by their URL names. */
export const PARAMETERS: ReadonlyMap<string, QueryParameter> = new Map([
  ['include', 'relations'],
  ['fields', 'fields'],
  ['filter', 'filters'],
  ['page', 'pagination'],
  ['pagination', 'pagination'],
  ['sort', 'sorts'],
])

/** Reports parameters that the parser ignored. */
export function addIgnored(
  { ignored }: ParsedQueryString,
  dropped: DroppedKeys,
  isRead: (parameter: QueryParameter) => boolean = () => true
): void {
  for (const [name, ...segments] of ignored) {
    const parameter = PARAMETERS.get(name!)
    if (parameter && isRead(parameter)) {
      dropped.add(parameter, segments.join('.'), 'keyInvalid')
    }
  }
}
