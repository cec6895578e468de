import { skipsApproval } from './approval_switch.js'

/** The initial decision of a node. Aggregators approve everything. */
export function initialApproval(nodeType: string): 'approved' | null {
  return skipsApproval.isOn || nodeType === 'aggregator' ? 'approved' : null
}
