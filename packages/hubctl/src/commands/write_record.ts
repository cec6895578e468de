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
      `A ${name} cannot be created: the platform creates it.`,
      'See which kinds can: hubctl kinds'
    )
  }
  return create
}

/** Creates a record; resolves to undefined in a dry run. */
export async function createRecord(
  api: Api,
  kind: Kind,
  body: Body
): Promise<StepResult | undefined> {
  const created = await api.change<{ data: NamedRecord }>('POST', kind.service, kind.path, body)
  if (!created) {
    return undefined
  }
  const { id, name } = created.data
  const parts = ['The', kind.name, ...(name === undefined ? [] : [name]), 'was created:', id]
  return { message: parts.join(' '), record: created.data }
}

/** Updates a record; resolves to undefined in a dry run. */
export async function updateRecord(
  api: Api,
  kind: Kind,
  { id, name }: Pick<NamedRecord, 'id' | 'name'>,
  body: Body
): Promise<StepResult | undefined> {
  const updated = await api.change<{ data: NamedRecord }>(
    'POST',
    kind.service,
    pathOf(kind, id),
    body
  )
  return updated && { message: `The ${kind.name} ${name ?? id} was updated`, record: updated.data }
}

/** Names a body in the error message of a batch. */
export function nameOfBody({ name, id }: Body, index: number): string {
  const parts = [name, id].find((one) => typeof one === 'string')
  return String(parts ?? `record ${index + 1}`)
}
