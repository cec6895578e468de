import type { Declaration, Direction, Vocabulary } from './declaration.js'

export interface DefaultSort {
  readonly name: string
  readonly direction: Direction
}

type Accepts = (name: string) => boolean

/** A vocabulary compiled into lookup tables, once per kind. */
export class Schema {
  readonly name: string
  readonly vocabulary: Vocabulary
  readonly defaultFields: readonly string[] | undefined
  readonly allowedFields: readonly string[] | undefined
  readonly defaultSorts: readonly DefaultSort[]
  readonly indexes: readonly (readonly string[])[]
  readonly filtersIndexed: boolean
  readonly sortsIndexed: boolean
  readonly maxLimit: number | undefined

  readonly acceptsField: Accepts
  readonly acceptsFilter: Accepts
  readonly acceptsSort: Accepts
  readonly acceptsRelation: Accepts
  /** Whether filter keys are listed, so that other names are known to be rejected. */
  readonly listsFilters: boolean

  readonly #heads: ReadonlySet<string>

  constructor(vocabulary: Vocabulary) {
    const { fields, filters, sorts, relations, indexes } = vocabulary
    const strict = vocabulary.strict ?? true
    const secret = secretsOf(vocabulary)
    const indexed = indexes !== undefined

    this.name = vocabulary.name
    this.vocabulary = vocabulary
    this.defaultFields = fields?.default
    this.allowedFields = fields?.allowed
    this.defaultSorts = Object.entries(sorts?.default ?? {}).map(([name, direction]) => ({
      name,
      direction,
    }))
    this.indexes = indexes ?? []
    this.filtersIndexed = filters?.indexed ?? indexed
    this.sortsIndexed = sorts?.indexed ?? indexed
    this.maxLimit = vocabulary.pagination?.maxLimit
    this.#heads = new Set(this.indexes.map(([head]) => head!))

    this.acceptsField = accepts(selectableFields(fields), strict)
    this.acceptsFilter = accepts(without(secret, filters?.allowed), strict)
    this.acceptsSort = accepts(without(secret, sortableKeys(vocabulary)), strict)
    this.acceptsRelation = accepts(relations?.allowed, strict)
    this.listsFilters = filters?.allowed !== undefined || strict
  }

  /** Whether an index starts with this key. */
  leadsIndex(name: string): boolean {
    return this.#heads.has(name)
  }

  /** The kind that a relation leads to. */
  related(relation: string): Schema | undefined {
    const links = this.vocabulary.relations?.links
    return links && Object.hasOwn(links, relation) ? schemaOf(links[relation]!.target()) : undefined
  }
}

const schemas = new WeakMap<Vocabulary, Schema>()

export function schemaOf(vocabulary: Vocabulary): Schema {
  let schema = schemas.get(vocabulary)
  if (schema === undefined) {
    schema = new Schema(vocabulary)
    schemas.set(vocabulary, schema)
  }
  return schema
}

/** The sortable keys: the declared list, or the keys of the default sort. */
export function sortableKeys({ sorts }: Vocabulary): readonly string[] | undefined {
  return sorts?.allowed ?? (sorts?.default && Object.keys(sorts.default))
}

export function isWellFormedName(name: string): boolean {
  return /^\w+$/.test(name)
}

function accepts(names: readonly string[] | undefined, strict: boolean): Accepts {
  if (names === undefined) {
    return strict ? () => false : isWellFormedName
  }
  const known = new Set(names)
  return (name) => known.has(name)
}

function selectableFields(fields: Vocabulary['fields']): readonly string[] | undefined {
  if (fields?.default === undefined && fields?.allowed === undefined) {
    return undefined
  }
  return [...(fields.default ?? []), ...(fields.allowed ?? [])]
}

function without(secret: ReadonlySet<string>, names: readonly string[] | undefined) {
  return secret.size === 0 ? names : names?.filter((name) => !secret.has(name))
}

function secretsOf(vocabulary: Vocabulary): ReadonlySet<string> {
  const { properties = {} } = vocabulary as Partial<Declaration>
  return new Set(Object.keys(properties).filter((name) => properties[name]!.secret))
}
