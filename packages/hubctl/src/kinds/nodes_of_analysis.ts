import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { ANALYSIS_NODES } from './record_collections.js'

interface AnalysisNode extends Fields {
  readonly nodeId: string
  readonly node: { readonly name: string }
}

/** The names of the nodes of an analysis by their ids. */
export async function nodesOfAnalysis(
  api: Api,
  analysisId: string
): Promise<ReadonlyMap<string, string>> {
  const { service, path } = ANALYSIS_NODES
  const parts = await allOf<AnalysisNode>(api, service, path, {
    query: [
      ['filter[analysisId]', analysisId],
      ['include', 'node'],
    ],
  })
  return new Map(parts.map(({ nodeId, node }) => [nodeId, node.name]))
}
