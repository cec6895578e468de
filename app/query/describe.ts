import type { Direction, Vocabulary } from './declaration.js'
import { schemaOf, sortableKeys } from './schema.js'

type Names = readonly string[] | null

/** The `meta.schema` of a single record. */
interface RecordDescription {
  readonly name: string
  readonly strict: boolean
  readonly indexes: readonly (readonly string[])[] | null
  readonly fields: { readonly default: Names; readonly allowed: Names }
  readonly relations: {
    readonly allowed: Names
    readonly schemas: Readonly<Record<string, string>> | null
  }
}

/** The `meta.schema` of a list. */
interface CollectionDescription extends RecordDescription {
  readonly filters: {
    readonly allowed: Names
    readonly caseSensitive: null
    readonly indexed: 'anchor' | false
  }
  readonly pagination: { readonly maxLimit: number | null }
  readonly sorts: {
    readonly allowed: Names
    readonly default: Readonly<Record<string, Direction>> | null
    readonly indexed: boolean
  }
}

export interface Description {
  readonly collection: CollectionDescription
  readonly record: RecordDescription
  /** Both as JSON text, for responses that are concatenated from text. */
  readonly collectionText: string
  readonly recordText: string
}

const descriptions = new WeakMap<Vocabulary, Description>()

/** The description of a kind for clients. Computed once per kind, frozen, with a fixed order of keys. */
export function describe(vocabulary: Vocabulary): Description {
  let description = descriptions.get(vocabulary)
  if (description === undefined) {
    const collection = deepFreeze(collectionOf(vocabulary))
    const record = deepFreeze(recordOf(collection))
    description = Object.freeze({
      collection,
      record,
      collectionText: JSON.stringify(collection),
      recordText: JSON.stringify(record),
    })
    descriptions.set(vocabulary, description)
  }
  return description
}

function collectionOf(vocabulary: Vocabulary): CollectionDescription {
  const { fields, filters, sorts, pagination } = vocabulary
  const schema = schemaOf(vocabulary)
  return {
    name: vocabulary.name,
    strict: vocabulary.strict ?? true,
    indexes: vocabulary.indexes?.map((index) => [...index]) ?? null,
    fields: { default: copyOf(fields?.default), allowed: copyOf(fields?.allowed) },
    filters: {
      allowed: copyOf(filters?.allowed),
      caseSensitive: null,
      indexed: schema.filtersIndexed ? 'anchor' : false,
    },
    pagination: { maxLimit: pagination?.maxLimit ?? null },
    relations: relationsOf(vocabulary),
    sorts: {
      allowed: copyOf(sortableKeys(vocabulary)),
      default: sorts?.default ? { ...sorts.default } : null,
      indexed: schema.sortsIndexed,
    },
  }
}

function recordOf(collection: CollectionDescription): RecordDescription {
  const { name, strict, indexes, fields, relations } = collection
  return { name, strict, indexes, fields, relations }
}

function relationsOf({ relations }: Vocabulary): RecordDescription['relations'] {
  if (relations?.allowed === undefined) {
    return { allowed: null, schemas: null }
  }
  const targets = relations.allowed.map((name) => [name, relations.links?.[name]?.target().name])
  return { allowed: [...relations.allowed], schemas: Object.fromEntries(targets) }
}

function copyOf(names: readonly string[] | undefined): Names {
  return names ? [...names] : null
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const nested of Object.values(value)) {
      deepFreeze(nested)
    }
    Object.freeze(value)
  }
  return value
}
