import type { Api } from '#hubctl/platform/api'
import { isUuid } from '#kernel/is_uuid'
import type { JsonSchema } from '#kernel/json_schema'
import type { Body } from './body_values.js'
import { findRecord } from './find_record.js'
import { propertiesOf } from './kind.js'
import type { Kinds } from './kinds.js'

const REFERENCE = /^(\w+)Id$/

/** Resolves names in references: `projectId=study` becomes the id of that project. */
export async function withReferences(
  api: Api,
  kinds: Kinds,
  schema: JsonSchema,
  body: Body
): Promise<Body> {
  const properties = propertiesOf(schema)
  const entries = Object.entries(body).map(async ([key, value]): Promise<[string, unknown]> => {
    const [, name] = REFERENCE.exec(key) ?? []
    if (properties[key]?.format !== 'uuid' || name === undefined || !isName(value)) {
      return [key, value]
    }
    const { id } = await findRecord(api, await kinds.find(name), value)
    return [key, id]
  })
  return Object.fromEntries(await Promise.all(entries))
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !isUuid(value)
}
