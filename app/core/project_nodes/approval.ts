import { coreSettings } from '#core/core_settings'
import type { NODE_TYPES } from '#core/nodes/node'

/** Whether a node needs no decision on a project. Aggregators have no data of their own. */
export function isApprovedInitially(nodeType: (typeof NODE_TYPES)[number]): boolean {
  return coreSettings().skipsProjectApproval || nodeType === 'aggregator'
}
