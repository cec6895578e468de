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

/** Where records of a kind are. */
export type RecordCollection = Pick<Kind, 'name' | 'plural' | 'path' | 'service'>

interface FindRecordOptions {
  /** What the record is shown with. */
  readonly shape?: readonly [string, string][]
  /** What a record that is meant by its name has to be, as an expression. */
  readonly where?: string | undefined
}

/** One record by its id, or by its name where only one has it. */
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
    throw new Problem(EXIT.refused, `Several ${kind.plural} are called "${idOrName}".`, [
      `Say which by its id: ${found.map(({ id }) => id).join(', ')}`,
    ])
  }
  return found[0] ?? failNotFound(kind, idOrName)
}

/** As an expression: in brackets, commas and signs of a name would mean something. */
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
        `"${name}" is no id, and records of the kind ${kind} have no other name.`
      )
    }
    throw error
  }
}

function failNotFound({ name, plural }: RecordCollection, idOrName: string): never {
  throw new Problem(EXIT.notFound, `There is no ${name} called "${idOrName}".`, [
    `See what there is: hubctl get ${plural}`,
  ])
}
