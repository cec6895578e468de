import { describe } from '#query/describe'
import type { Kind } from '#records/kind'

/** For all records of the provider: names and references can be filtered. */
const FILTERS = /^(id|name|displayName|active|\w+Id)$/
const NOT_FOR_CLIENTS = 'client.active'
const SORTS = ['name', 'createdAt', 'updatedAt']

/** The schema of a record of the identity provider, derived from its columns. */
export function providerVocabulary(kind: Kind): object {
  const { columns, relations, name, declaration } = kind
  const shown = Object.keys(columns).filter((column) => !columns[column]!.internal)
  const usual = shown.filter((column) => !columns[column]!.secret && !columns[column]!.optIn)
  const included = Object.keys(relations).filter((relation) => relations[relation]!.includable)
  return {
    name,
    strict: true,
    indexes: describe(declaration).collection.indexes,
    fields: {
      default: usual,
      allowed: [...usual, ...shown.filter((column) => !usual.includes(column))],
    },
    filters: {
      allowed: usual.filter(
        (column) => FILTERS.test(column) && `${name}.${column}` !== NOT_FOR_CLIENTS
      ),
      caseSensitive: null,
      indexed: 'anchor',
    },
    pagination: { maxLimit: 50 },
    relations:
      included.length === 0
        ? { allowed: null, schemas: null }
        : {
            allowed: included,
            schemas: Object.fromEntries(included.map((key) => [key, relations[key]!.to().name])),
          },
    sorts: {
      allowed: SORTS.filter((column) => usual.includes(column)),
      default: null,
      indexed: true,
    },
  }
}
