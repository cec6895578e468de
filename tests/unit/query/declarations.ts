import type { ColumnType, Declaration, Link, Property, Vocabulary } from '#query/declaration'
import { seedSchemas, vocabulariesOf } from './vocabularies.js'

type Types = Record<string, ColumnType | Property>

interface Storage {
  table: string
  types: Types
  /** Relations by target kind and foreign key. */
  links?: Record<string, [kind: string, local: string]>
}

const TIMES = { createdAt: 'timestamp', updatedAt: 'timestamp' } as const

const STORED: Record<string, Storage> = {
  node: {
    table: 'nodes',
    types: {
      ...{ id: 'uuid', name: 'text', clientId: 'uuid', externalName: 'text', hidden: 'boolean' },
      ...{ type: 'text', online: 'boolean', publicKey: 'text', robotId: 'uuid', realmId: 'uuid' },
      ...{ registryId: 'uuid', registryProjectId: 'uuid', ...TIMES },
    },
    links: {
      registryProject: ['registryProject', 'registryProjectId'],
      registry: ['registry', 'registryId'],
    },
  },
  registry: {
    table: 'registries',
    types: {
      ...{ id: 'uuid', name: 'text', host: 'text', accountName: 'text', ...TIMES },
      accountSecret: { type: 'text', secret: true },
    },
  },
  registryProject: {
    table: 'registry_projects',
    types: {
      ...{ id: 'uuid', name: 'text', type: 'text', public: 'boolean', externalName: 'text' },
      ...{ externalId: 'text', accountId: 'text', accountName: 'text', webhookName: 'text' },
      ...{ webhookExists: 'boolean', registryId: 'uuid', realmId: 'uuid', ...TIMES },
      accountSecret: { type: 'text', secret: true },
    },
    links: { registry: ['registry', 'registryId'] },
  },
}

/** The kinds of the query tests, as the platform describes them, with tables of their own. */
export function storedDeclarations(): Record<'node' | 'registry' | 'registryProject', Declaration> {
  const vocabularies = vocabulariesOf(seedSchemas())
  const declarations: Record<string, Declaration> = {}
  for (const [kind, storage] of Object.entries(STORED)) {
    declarations[kind] = declarationOf(vocabularies.get(kind)!, storage, declarations)
  }
  return declarations
}

function declarationOf(
  vocabulary: Vocabulary,
  { table, types, links = {} }: Storage,
  declarations: Record<string, Declaration>
): Declaration {
  const properties = Object.entries(types).map(([name, type]): [string, Property] => [
    name,
    typeof type === 'string' ? { type, nullable: name !== 'id' } : type,
  ])
  const linked = Object.entries(links).map(([relation, [kind, local]]): [string, Link] => [
    relation,
    { target: () => declarations[kind]!, local, foreign: 'id' },
  ])
  return {
    ...vocabulary,
    table,
    properties: Object.fromEntries(properties),
    relations: { allowed: vocabulary.relations?.allowed, links: Object.fromEntries(linked) },
  }
}
