import type { Direction, Vocabulary, VocabularyLink } from '#query/declaration'
import { readEndpointSchemas } from '#tests/helpers/vectors'

/** A schema in the format of `meta.schema`, or of a probe, which omits what it does not declare. */
export interface WrittenSchema {
  name: string
  strict: boolean
  indexes?: string[][] | null
  fields?: { default?: string[] | null; allowed?: string[] | null }
  filters?: { allowed?: string[] | null; indexed?: boolean | 'anchor' }
  sorts?: {
    allowed?: string[] | null
    default?: Record<string, Direction> | null
    indexed?: boolean
  }
  pagination?: { maxLimit?: number | null }
  relations?: { allowed?: string[] | null; schemas?: Record<string, string> | null }
  schemaMapping?: Record<string, string>
}

/** Relations of kinds that `include` does not offer. */
const UNLISTED: Record<string, Record<string, string>> = { analysis: { registry: 'registry' } }

/** The `meta.schema` of every list of the platform, by kind. */
export function seedSchemas(): Map<string, WrittenSchema> {
  const endpoints = Object.values(readEndpointSchemas()).flatMap((each) => Object.values(each))
  return new Map(
    endpoints
      .filter(({ kind }) => kind === 'collection')
      .map(({ schema, seed }) => [schema, seed as unknown as WrittenSchema])
  )
}

/** Converts schemas into vocabularies that reference each other. */
export function vocabulariesOf(
  written: ReadonlyMap<string, WrittenSchema>
): Map<string, Vocabulary> {
  const vocabularies = new Map<string, Vocabulary>()
  for (const [name, schema] of written) {
    const targets = {
      ...schema.schemaMapping,
      ...schema.relations?.schemas,
      ...UNLISTED[schema.name],
    }
    const links = Object.entries(targets).map(([relation, target]): [string, VocabularyLink] => [
      relation,
      { target: () => vocabularies.get(target)! },
    ])
    vocabularies.set(name, vocabularyOf(schema, Object.fromEntries(links)))
  }
  return vocabularies
}

function vocabularyOf(schema: WrittenSchema, links: Record<string, VocabularyLink>): Vocabulary {
  const { name, strict, fields, filters, sorts, pagination, relations } = schema
  return {
    name,
    strict,
    indexes: schema.indexes ?? undefined,
    fields: { default: fields?.default ?? undefined, allowed: fields?.allowed ?? undefined },
    filters: { allowed: filters?.allowed ?? undefined, indexed: Boolean(filters?.indexed) },
    sorts: {
      allowed: sorts?.allowed ?? undefined,
      default: sorts?.default ?? undefined,
      indexed: Boolean(sorts?.indexed),
    },
    pagination: { maxLimit: pagination?.maxLimit ?? undefined },
    relations: { allowed: relations?.allowed ?? undefined, links },
  }
}
