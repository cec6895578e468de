import { EXIT } from '#hubctl/exit_codes'
import type { Api } from '#hubctl/platform/api'
import { readPage, type Fields } from '#hubctl/platform/pages'
import { Refusal } from '#hubctl/platform/refusals'
import { Problem, UsageProblem } from '#hubctl/problem'
import { isUuid } from '#kernel/is_uuid'
import { pathOf, type Kind } from './kind.js'

export interface Found extends Fields {
  readonly id: string
  readonly name?: string
}

/** Where records of a kind are. */
export type Place = Pick<Kind, 'name' | 'plural' | 'path' | 'service'>

interface Finding {
  /** What the record is shown with. */
  readonly shape?: readonly [string, string][]
  /** What a record that is meant by its name has to be, as an expression. */
  readonly where?: string | undefined
}

/** One record by its id, or by its name where only one has it. */
export async function findRecord(
  api: Api,
  kind: Place,
  idOrName: string,
  { shape = [], where }: Finding = {}
): Promise<Found> {
  if (isUuid(idOrName)) {
    const { data } = await api.read<{ data: Found }>(kind.service, pathOf(kind, idOrName), {
      query: new URLSearchParams([...shape]),
    })
    return data
  }
  const data = await named(api, kind, conditionFor(idOrName, where), shape, idOrName)
  const exact = data.filter(({ name }) => name === idOrName)
  const found = (exact.length > 0 ? exact : data) as readonly Found[]
  if (found.length > 1) {
    throw new Problem(EXIT.refused, `Several ${kind.plural} are called "${idOrName}".`, [
      `Say which by its id: ${found.map(({ id }) => id).join(', ')}`,
    ])
  }
  return found[0] ?? missing(kind, idOrName)
}

/** As an expression: in brackets, commas and signs of a name would mean something. */
function conditionFor(name: string, where: string | undefined): string {
  const called = `eq(name,'${name.replaceAll("'", "''")}')`
  return where === undefined ? called : `and(${called},${where})`
}

async function named(
  api: Api,
  { name: kind, service, path }: Place,
  condition: string,
  query: readonly [string, string][],
  name: string
): Promise<readonly Fields[]> {
  try {
    const page = await readPage(api, service, path, { query: [...query, ['filter', condition]] })
    return page.data
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) {
      throw new UsageProblem(
        `"${name}" is no id, and records of the kind ${kind} have no other name.`
      )
    }
    throw error
  }
}

function missing({ name, plural }: Place, idOrName: string): never {
  throw new Problem(EXIT.notFound, `There is no ${name} called "${idOrName}".`, [
    `See what there is: hubctl get ${plural}`,
  ])
}
