import { Switch } from '#configuration/switch'
import type { NODE_TYPES } from '#core/nodes/node'
import { env } from '#start/env'

/** Whether projects need no approval of nodes. */
export const skipsProjectApproval = new Switch(env.SKIP_PROJECT_APPROVAL)

/** Whether a node needs no decision on a project. Aggregators have no data of their own. */
export function isApprovedInitially(nodeType: (typeof NODE_TYPES)[number]): boolean {
  return skipsProjectApproval.isOn || nodeType === 'aggregator'
}
