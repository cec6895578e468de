import { Switch } from '#configuration/switch'
import type { NODE_TYPES } from '#core/nodes/node'
import { env } from '#start/env'

/** Whether an installation does without approvals of projects. */
export const skipsProjectApproval = new Switch(env.SKIP_PROJECT_APPROVAL)

/** Whether a node takes part in a project without being asked; aggregators hold no data of their own. */
export function isApprovedInitially(nodeType: (typeof NODE_TYPES)[number]): boolean {
  return skipsProjectApproval.isOn || nodeType === 'aggregator'
}
