import type { CommandQueue } from '#bus/names'
import type { JsonSchema } from '#kernel/json_schema'

/** A warning in the response to an accepted command. */
export interface Warning {
  readonly code: string
  readonly message: string
}

/** The warning if no worker consumes the queue of a command. */
export const NO_WORKER: Warning = {
  code: 'worker_missing',
  message:
    'No worker is running: the command waits until an operator of the platform starts one (JOBS=worker)',
}

/** The schema of `meta` with warnings. */
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

/** Knows whether somebody consumes a queue; opens the bus at the first question. */
export abstract class QueueConsumers {
  /** Undefined if the broker is unavailable. */
  abstract hasConsumers(queue: string): Promise<boolean | undefined>
}

/** Warns if a queue has no consumer. The command stays in the queue nevertheless. */
export async function findWarnings(
  queues: QueueConsumers,
  queue: CommandQueue
): Promise<readonly Warning[]> {
  const isConsumed = await queues.hasConsumers(queue)
  return isConsumed === false ? [NO_WORKER] : []
}

/** Returns an empty object if there are no warnings. */
export function warningsMeta(warnings: readonly Warning[]): { warnings?: readonly Warning[] } {
  return warnings.length > 0 ? { warnings } : {}
}
