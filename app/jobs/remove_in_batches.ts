import type { Logger } from '@adonisjs/core/logger'

import { sleep } from '#kernel/backoff'
import type { SweepResult } from './sweep.js'

const PROGRESS_MS = 5_000
/** The table stays usable meanwhile: after each batch it pauses for this multiple of its duration. */
const REST_FACTOR = 2

export interface BatchedRemovalOptions {
  readonly logger: Pick<Logger, 'info'>
  readonly signal?: AbortSignal
  /** Stops after this time even if there is more to remove. */
  readonly turnMs?: number
}

/** Adds a signal to the options. */
export function withSignal(
  lost: AbortSignal,
  { signal, ...sweeping }: BatchedRemovalOptions
): BatchedRemovalOptions {
  return { ...sweeping, signal: signal ? AbortSignal.any([signal, lost]) : lost }
}

/** Removes batches, each in its own transaction and followed by a pause. `doing` is the message of progress logs. */
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
