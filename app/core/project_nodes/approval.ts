import type { NODE_TYPES } from '#core/nodes/node'
import { env } from '#start/env'

let isSkipped = env.SKIP_PROJECT_APPROVAL

/** Whether an installation does without approvals of projects. */
export const isProjectApprovalSkipped = (): boolean => isSkipped

/**
 * Sets the switch until the returned function is called.
 */
export function switchProjectApproval(skipped: boolean): () => void {
  const previous = isSkipped
  isSkipped = skipped
  return () => {
    isSkipped = previous
  }
}

/** Whether a node takes part in a project without being asked; aggregators hold no data of their own. */
export function isApprovedAtOnce(nodeType: (typeof NODE_TYPES)[number]): boolean {
  return isSkipped || nodeType === 'aggregator'
}
