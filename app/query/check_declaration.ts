import type { Declaration, Vocabulary } from './declaration.js'
import { schemaOf, sortableKeys } from './schema.js'

/** The problems of a declaration, as sentences. An application must not start with any. */
export function checkDeclaration(declaration: Declaration): string[] {
  return [
    ...checkVocabulary(declaration),
    ...unknownNames(declaration),
    ...exposedSecrets(declaration),
    ...brokenLinks(declaration),
    ...unusableKey(declaration),
  ].map((problem) => `${declaration.name}: ${problem}`)
}

/** Every allowed key must lead an index, so that no query with a single key is rejected or slow. */
function* checkVocabulary(vocabulary: Vocabulary): Generator<string> {
  const schema = schemaOf(vocabulary)
  for (const name of vocabulary.filters?.allowed ?? []) {
    if (schema.filtersIndexed && !schema.leadsIndex(name)) {
      yield `no index leads with the filter ${name}`
    }
  }
  const sortable = sortableKeys(vocabulary) ?? []
  for (const name of sortable) {
    if (schema.sortsIndexed && !schema.leadsIndex(name)) {
      yield `no index leads with the sort ${name}`
    }
  }
  for (const { name } of schema.defaultSorts) {
    if (!sortable.includes(name)) {
      yield `the default sort ${name} is not offered as a sort`
    }
  }
}

function* unknownNames(declaration: Declaration): Generator<string> {
  for (const [list, names] of Object.entries(namesOf(declaration))) {
    for (const name of names) {
      if (!Object.hasOwn(declaration.properties, name)) {
        yield `${list} names ${name}, which is no property`
      }
    }
  }
}

function* exposedSecrets(declaration: Declaration): Generator<string> {
  const { filters, sorts, indexes, defaults } = namesOf(declaration)
  for (const [name, { secret }] of Object.entries(declaration.properties)) {
    if (secret && [...filters, ...sorts, ...indexes, ...defaults].includes(name)) {
      yield `${name} is secret: it can be no filter, sort, index or default field`
    }
  }
}

function* brokenLinks(declaration: Declaration): Generator<string> {
  const { allowed = [], links = {} } = declaration.relations ?? {}
  for (const name of allowed) {
    if (!Object.hasOwn(links, name)) {
      yield `the relation ${name} can be included but has no link`
    }
  }
  for (const [name, { target, local, foreign }] of Object.entries(links)) {
    if (Object.hasOwn(declaration.properties, name)) {
      yield `${name} is both a property and a relation`
    }
    if (!Object.hasOwn(declaration.properties, local)) {
      yield `the relation ${name} starts at ${local}, which is no property`
    }
    if (!Object.hasOwn(target().properties, foreign)) {
      yield `the relation ${name} ends at ${foreign}, which is no property of ${target().name}`
    }
  }
}

function* unusableKey({ primaryKey = 'id', properties }: Declaration): Generator<string> {
  const property = properties[primaryKey]
  if (property === undefined) {
    yield `the primary key ${primaryKey} is no property`
  } else if (property.nullable) {
    yield `the primary key ${primaryKey} cannot be nullable`
  }
}

function namesOf(declaration: Declaration) {
  const { fields, filters, indexes } = declaration
  return {
    defaults: fields?.default ?? [],
    fields: fields?.allowed ?? [],
    filters: filters?.allowed ?? [],
    sorts: sortableKeys(declaration) ?? [],
    indexes: indexes?.flat() ?? [],
  }
}
