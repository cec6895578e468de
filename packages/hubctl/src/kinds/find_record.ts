import { EXIT } from '#hubctl/exit_codes'
import type { Api } from '#hubctl/platform/api'
import { readPage, type Fields } from '#hubctl/platform/pages'
import { ApiError } from '#hubctl/platform/api_error'
import { Problem, UsageProblem } from '#hubctl/problem'
import { isUuid } from '#kernel/is_uuid'
import { pathOf, type Kind } from './kind.js'

export interface NamedRecord extends Fields {
  readonly id: string
  readonly name?: string
}

/** The address of the records of a kind. */
export type RecordCollection = Pick<Kind, 'name' | 'plural' | 'path' | 'service'>

interface FindRecordOptions {
  /** Query parameters that select attributes and relations. */
  readonly shape?: readonly [string, string][]
  /** A filter expression that a record found by name must match. */
  readonly where?: string | undefined
}

/** Finds a record by id, or by name if the name is unique. */
export async function findRecord(
  api: Api,
  kind: RecordCollection,
  idOrName: string,
  { shape = [], where }: FindRecordOptions = {}
): Promise<NamedRecord> {
  if (isUuid(idOrName)) {
    const { data } = await api.read<{ data: NamedRecord }>(kind.service, pathOf(kind, idOrName), {
      query: new URLSearchParams([...shape]),
    })
    return data
  }
  const data = await queryByName(api, kind, nameCondition(idOrName, where), shape, idOrName)
  const exact = data.filter(({ name }) => name === idOrName)
  const found = (exact.length > 0 ? exact : data) as readonly NamedRecord[]
  if (found.length > 1) {
    throw new Problem(EXIT.refused, `Several ${kind.plural} have the name "${idOrName}".`, [
      `Use one of the ids: ${found.map(({ id }) => id).join(', ')}`,
    ])
  }
  return found[0] ?? failNotFound(kind, idOrName)
}

/** An expression instead of `filter[name]`, where commas and operators in a name would be interpreted. */
function nameCondition(name: string, where: string | undefined): string {
  const hasName = `eq(name,'${name.replaceAll("'", "''")}')`
  return where === undefined ? hasName : `and(${hasName},${where})`
}

async function queryByName(
  api: Api,
  { name: kind, service, path }: RecordCollection,
  condition: string,
  query: readonly [string, string][],
  name: string
): Promise<readonly Fields[]> {
  try {
    const page = await readPage(api, service, path, { query: [...query, ['filter', condition]] })
    return page.data
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) {
      throw new UsageProblem(
        `"${name}" is not an id, and records of the kind ${kind} have no name.`
      )
    }
    throw error
  }
}

function failNotFound({ name, plural }: RecordCollection, idOrName: string): never {
  throw new Problem(EXIT.notFound, `There is no ${name} called "${idOrName}".`, [
    `List them: hubctl get ${plural}`,
  ])
}
