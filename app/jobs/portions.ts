import type { Logger } from '@adonisjs/core/logger'

import { pause } from '#kernel/back_off'
import type { Swept } from './sweep.js'

const PROGRESS_MS = 5_000
/** Others use the table meanwhile: for one part of the time it is worked, for so many it is not. */
const REST = 2

export interface Sweeping {
  readonly logger: Pick<Logger, 'info'>
  readonly signal?: AbortSignal
  /** After how long it ends although there is more to do. */
  readonly turnMs?: number
}

/** The same, ended by one more signal. */
export function until(lost: AbortSignal, { signal, ...sweeping }: Sweeping): Sweeping {
  return { ...sweeping, signal: signal ? AbortSignal.any([signal, lost]) : lost }
}

/** Removes one portion after the other, each a transaction of its own that is followed by a pause. `doing` is for the log. */
export async function removeInPortions(
  removePortion: () => Promise<Swept>,
  doing: string,
  { logger, signal = new AbortController().signal, turnMs = Infinity }: Sweeping
): Promise<Swept> {
  const begun = performance.now()
  let told = begun
  let removed = 0
  while (!signal.aborted && performance.now() - begun < turnMs) {
    const start = performance.now()
    const portion = await removePortion()
    removed += portion.removed
    if (portion.isDone) {
      return { removed, isDone: true }
    }
    if (performance.now() - told > PROGRESS_MS) {
      told = performance.now()
      logger.info({ removed }, doing)
    }
    await pause(REST * (performance.now() - start), signal)
  }
  return { removed, isDone: false }
}
