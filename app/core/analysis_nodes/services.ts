import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { lazyService } from '#records/services'

/** The one who assigns nodes to analyses, and takes them out again. */
export const analysisNodes = lazyService('core', analysisNode, AnalysisNodeService)
