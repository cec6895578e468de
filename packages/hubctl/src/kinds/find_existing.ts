import { EXIT } from '#hubctl/exit_codes'
import type { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { Problem, UsageProblem } from '#hubctl/problem'
import type { Body } from './body_values.js'
import { findRecord, type NamedRecord } from './find_record.js'
import { propertiesOf, type Kind } from './kind.js'

/** Finds the record of a body by id, or by name and its immutable references. */
export async function findExisting(
  api: Api,
  kind: Kind,
  body: Body
): Promise<NamedRecord | undefined> {
  const { id, name } = body
  const byId =
    typeof id === 'string' ? await undefinedIfMissing(findRecord(api, kind, id)) : undefined
  if (byId) {
    return byId
  }
  const conditions = fixedReferences(kind, body)
  const filter = conditions.length > 1 ? `and(${conditions.join()})` : conditions[0]
  if (typeof name === 'string') {
    return undefinedIfMissing(findRecord(api, kind, name, { where: filter }))
  }
  if (filter === undefined) {
    throw new UsageProblem(`The ${kind.name} has neither a name nor an id to find it by.`)
  }
  const [found] = await allOf<NamedRecord>(api, kind.service, kind.path, {
    query: [['filter', filter]],
  })
  return found
}

/** Filters for references that cannot be updated. */
function fixedReferences({ create, update }: Kind, body: Body): string[] {
  const changeable = propertiesOf(update)
  return Object.entries(propertiesOf(create))
    .filter(([key, { format }]) => format === 'uuid' && !Object.hasOwn(changeable, key))
    .filter(([key]) => typeof body[key] === 'string')
    .map(([key]) => `eq(${key},'${String(body[key]).replaceAll("'", "''")}')`)
}

async function undefinedIfMissing(search: Promise<NamedRecord>): Promise<NamedRecord | undefined> {
  try {
    return await search
  } catch (error) {
    if (error instanceof Problem && error.exitCode === EXIT.notFound) {
      return undefined
    }
    throw error
  }
}
