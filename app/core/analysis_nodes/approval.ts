import { coreSettings } from '#core/core_settings'

/** The initial decision of a node. Aggregators approve everything. */
export function initialApproval(nodeType: string): 'approved' | null {
  return coreSettings().skipsAnalysisApproval || nodeType === 'aggregator' ? 'approved' : null
}
