import type { Body } from '#hubctl/kinds/body_values'
import type { Found } from '#hubctl/kinds/find_record'
import { pathOf, type Kind } from '#hubctl/kinds/kind'
import type { Api } from '#hubctl/platform/api'
import { UsageProblem } from '#hubctl/problem'
import type { JsonSchema } from '#kernel/json_schema'
import type { Done } from './each.js'

/** What a record may be made with. */
export function requireCreatable({ name, create }: Kind): JsonSchema {
  if (!create) {
    throw new UsageProblem(
      `A ${name} is not made by callers: the platform makes it.`,
      'What is made: hubctl kinds'
    )
  }
  return create
}

/** Makes a record; undefined where that is only planned. */
export async function makeRecord(api: Api, kind: Kind, body: Body): Promise<Done | undefined> {
  const made = await api.change<{ data: Found }>('POST', kind.service, kind.path, body)
  if (!made) {
    return undefined
  }
  const { id, name } = made.data
  const words = ['The', kind.name, ...(name === undefined ? [] : [name]), 'was made:', id]
  return { said: words.join(' '), record: made.data }
}

/** Changes a record; undefined where that is only planned. */
export async function changeRecord(
  api: Api,
  kind: Kind,
  { id, name }: Pick<Found, 'id' | 'name'>,
  body: Body
): Promise<Done | undefined> {
  const changed = await api.change<{ data: Found }>('POST', kind.service, pathOf(kind, id), body)
  return changed && { said: `The ${kind.name} ${name ?? id} was changed`, record: changed.data }
}

/** How one of several bodies is named where it is refused. */
export function nameOfBody({ name, id }: Body, index: number): string {
  const words = [name, id].find((one) => typeof one === 'string')
  return String(words ?? `record ${index + 1}`)
}
