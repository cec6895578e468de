import { env } from '#start/env'

let isSkipped = env.SKIP_ANALYSIS_APPROVAL

/** Whether nodes take part in analyses without having been asked. */
export const isApprovalSkipped = (): boolean => isSkipped

/**
 * Sets the switch until the returned function is called.
 */
export function switchApproval(skipped: boolean): () => void {
  const previous = isSkipped
  isSkipped = skipped
  return () => {
    isSkipped = previous
  }
}
