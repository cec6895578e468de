import type { Bus } from '#bus/bus'
import type { CommandQueue } from '#bus/names'
import type { JsonSchema } from '#kernel/json_schema'

/** What the caller should know although the command was taken. */
export interface Warning {
  readonly code: string
  readonly message: string
}

/** What is said where no worker listens that would do what was asked. */
export const NO_WORKER: Warning = {
  code: 'worker_missing',
  message:
    'No worker listens: it is done once an operator of the platform starts one (JOBS=worker)',
}

/** The part of an answer in which warnings stand. */
export const WARNINGS_META: JsonSchema = {
  type: 'object',
  properties: {
    warnings: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'string' }, message: { type: 'string' } },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
}

/** That nobody is there who would do it is said at once; it is done as soon as somebody is. */
export async function findWarnings(
  bus: Pick<Bus, 'hasConsumers'>,
  queue: CommandQueue
): Promise<readonly Warning[]> {
  const isConsumed = await bus.hasConsumers(queue)
  return isConsumed === false ? [NO_WORKER] : []
}

/** Nothing is said of warnings where there are none. */
export function warningsMeta(warnings: readonly Warning[]): { warnings?: readonly Warning[] } {
  return warnings.length > 0 ? { warnings } : {}
}
