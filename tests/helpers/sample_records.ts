import { projectNode } from '#core/project_nodes/project_node'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { columnOf, quoteName } from '#query/sql/identifiers'
import { toStored, type Column } from '#records/column'
import type { Kind } from '#records/kind'
import type { Attributes, MutableAttributes } from '#records/row'
import { clock } from '#kernel/clock'
import type { SurfaceName } from '#configuration/surfaces'

/**
 * Puts a record of any kind into the database, with the records it refers to; what is given is taken over.
 */
export async function sampleRecord(
  surface: SurfaceName,
  kind: Kind,
  given: Attributes = {}
): Promise<Attributes> {
  const values: MutableAttributes = {}
  for (const [name, column] of Object.entries(kind.columns)) {
    values[name] = given[name] ?? sampleValue(name, column)
  }
  for (const { to, by } of Object.values(kind.relations)) {
    values[by] = given[by] ?? (await sampleRecord(surface, to())).id
  }
  const names = Object.keys(values).filter((name) => !kind.columns[name]!.computed)
  const columns = names.map((name) => quoteName(columnOf(name, kind.columns[name]!)))
  const places = names.map((_, index) => `$${index + 1}`)
  await pools.for(databaseUrl(surface)).query(
    `insert into ${quoteName(kind.table)} (${columns.join()}) values (${places.join()})`,
    names.map((name) => toStored(kind.columns[name]!, values[name]))
  )
  return values
}

function sampleValue(name: string, { type }: Column): unknown {
  switch (type) {
    case 'uuid':
      return clock.uuid()
    case 'text':
      // No text column is shorter than this.
      return `${name.slice(0, 1).toLowerCase()}-${clock.uuid().slice(0, 8)}`
    case 'boolean':
      return false
    case 'timestamp':
      return new Date(clock.now())
    case 'json':
    case 'jsonText':
      return '[]'
    default:
      return 1
  }
}

interface BodySchema {
  required?: string[]
  properties: Record<
    string,
    { enum?: unknown[]; type?: string; format?: string; minLength?: number }
  >
}

/**
 * A body that creates a record of a kind: what is required, nothing else. What it refers to belongs to the realm, if one is
 * given.
 */
export async function sampleBody(
  surface: SurfaceName,
  kind: Kind,
  realmId?: string
): Promise<Attributes> {
  const { required = [], properties } = kind.createBody!.jsonSchema() as unknown as BodySchema
  const body: MutableAttributes = {}
  for (const name of required) {
    const relation = Object.values(kind.relations).find(({ by }) => by === name)
    body[name] = relation
      ? (await sampleRecord(surface, relation.to(), ofRealm(relation.to(), realmId))).id
      : sampleAttribute(properties[name]!)
  }
  await PREPARATIONS[kind.name]?.(body)
  return body
}

/** Whether a record belongs to a realm that a caller can choose for it. */
export const hasRealm = ({ realm }: Kind): boolean => realm !== undefined && realm !== 'id'

const ofRealm = (kind: Kind, realmId?: string): Attributes =>
  realmId !== undefined && hasRealm(kind) ? { [kind.realm!]: realmId } : {}

/** What a body says has to fit what is there, for some kinds. */
const PREPARATIONS: Record<string, (body: MutableAttributes) => Promise<void>> = {
  async analysisNode({ analysisId, nodeId }) {
    const { rows } = await core().query('select project_id as id from analyses where id = $1', [
      analysisId,
    ])
    await sampleRecord('core', projectNode, { projectId: rows[0].id, nodeId })
  },
  async analysisBucketFile(body) {
    const { rows } = await core().query(
      'select bucket_id as id from analysis_buckets where id = $1',
      [body.analysisBucketId]
    )
    body.bucketId = rows[0].id
  },
}

const core = () => pools.for(databaseUrl('core'))

function sampleAttribute({
  enum: choices,
  type,
  format,
  minLength = 1,
}: BodySchema['properties'][string]) {
  if (choices) {
    return choices[0]
  }
  if (type === 'string') {
    return format === 'uuid' ? clock.uuid() : `a${clock.uuid().slice(0, Math.max(8, minLength))}`
  }
  return type === 'boolean' ? true : 1
}
