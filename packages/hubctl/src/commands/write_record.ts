import { isDeepStrictEqual } from 'node:util'

import type { Body } from '#hubctl/kinds/body_values'
import type { NamedRecord } from '#hubctl/kinds/find_record'
import { pathOf, type Kind } from '#hubctl/kinds/kind'
import type { Api } from '#hubctl/platform/api'
import { UsageProblem } from '#hubctl/problem'
import type { JsonSchema } from '#kernel/json_schema'
import type { StepResult } from './run_steps.js'

/** The schema for creating a record; throws if the kind cannot be created. */
export function requireCreatable({ name, create }: Kind): JsonSchema {
  if (!create) {
    throw new UsageProblem(
      `A ${name} cannot be created: the hub creates it.`,
      'See which kinds can: hubctl kinds'
    )
  }
  return create
}

/** The schema for updating a record; throws if the kind cannot be updated. */
export function requireUpdatable({ name, update }: Kind): JsonSchema {
  if (!update) {
    throw new UsageProblem(`A ${name} cannot be updated.`, 'See which kinds can: hubctl kinds')
  }
  return update
}

/** Creates a record; resolves to undefined in a dry run. */
export function createRecord(api: Api, kind: Kind, body: Body): Promise<StepResult | undefined> {
  return write(api, kind, { path: kind.path, body }, ({ id, name }) =>
    ['The', kind.name, ...(name === undefined ? [] : [name]), 'was created:', id].join(' ')
  )
}

/** Updates a record; resolves to undefined in a dry run. */
export function updateRecord(
  api: Api,
  kind: Kind,
  { id, name }: Pick<NamedRecord, 'id' | 'name'>,
  body: Body
): Promise<StepResult | undefined> {
  const message = `The ${kind.name} ${name ?? id} was updated`
  return write(api, kind, { path: pathOf(kind, id), body }, () => message)
}

async function write(
  api: Api,
  { service }: Kind,
  { path, body }: { path: string; body: Body },
  messageOf: (record: NamedRecord) => string
): Promise<StepResult | undefined> {
  const answer = await api.change<{ data: NamedRecord }>('POST', service, path, body)
  return answer && { message: messageOf(answer.data), record: answer.data }
}

/** The attributes of a body that differ from a record. */
export function differences(record: Body, body: Body): Body {
  const differing = Object.entries(body).filter(
    ([key, value]) => !isDeepStrictEqual(record[key], value)
  )
  return Object.fromEntries(differing)
}

/** Names a body in the error message of a batch. */
export function nameOfBody({ name, id }: Body, index: number): string {
  const parts = [name, id].find((one) => typeof one === 'string')
  return String(parts ?? `record ${index + 1}`)
}
