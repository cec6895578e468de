import type { Logger } from '@adonisjs/core/logger'

import { sleep } from '#kernel/backoff'
import type { SweepResult } from './sweep.js'

const PROGRESS_MS = 5_000
/** Others use the table meanwhile: for one part of the time it is worked, for so many it is not. */
const REST_FACTOR = 2

export interface BatchedRemovalOptions {
  readonly logger: Pick<Logger, 'info'>
  readonly signal?: AbortSignal
  /** After how long it ends although there is more to do. */
  readonly turnMs?: number
}

/** The same, ended by one more signal. */
export function withSignal(
  lost: AbortSignal,
  { signal, ...sweeping }: BatchedRemovalOptions
): BatchedRemovalOptions {
  return { ...sweeping, signal: signal ? AbortSignal.any([signal, lost]) : lost }
}

/** Removes one portion after the other, each a transaction of its own that is followed by a pause. `doing` is for the log. */
export async function removeInBatches(
  removeBatch: () => Promise<SweepResult>,
  doing: string,
  { logger, signal = new AbortController().signal, turnMs = Infinity }: BatchedRemovalOptions
): Promise<SweepResult> {
  const startedAt = performance.now()
  let loggedAt = startedAt
  let removed = 0
  while (!signal.aborted && performance.now() - startedAt < turnMs) {
    const start = performance.now()
    const batch = await removeBatch()
    removed += batch.removed
    if (batch.isDone) {
      return { removed, isDone: true }
    }
    if (performance.now() - loggedAt > PROGRESS_MS) {
      loggedAt = performance.now()
      logger.info({ removed }, doing)
    }
    await sleep(REST_FACTOR * (performance.now() - start), signal)
  }
  return { removed, isDone: false }
}
