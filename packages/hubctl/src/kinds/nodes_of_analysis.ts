import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { ANALYSIS_NODES } from './record_collections.js'

interface AnalysisNode extends Fields {
  readonly nodeId: string
  readonly node: { readonly name: string; readonly clientId: string | null }
}

/** The names of the nodes of an analysis by their ids. */
export async function nodesOfAnalysis(
  api: Api,
  analysisId: string
): Promise<ReadonlyMap<string, string>> {
  const parts = await analysisNodes(api, analysisId)
  return new Map(parts.map(({ nodeId, node }) => [nodeId, node.name]))
}

/** Their names also by the ids of the clients that they log in as. */
export async function nodesAndClientsOfAnalysis(
  api: Api,
  analysisId: string
): Promise<ReadonlyMap<string, string>> {
  const parts = await analysisNodes(api, analysisId)
  return new Map(
    parts.flatMap(({ nodeId, node: { name, clientId } }) =>
      [nodeId, clientId ?? nodeId].map((id) => [id, name] as const)
    )
  )
}

function analysisNodes(api: Api, analysisId: string): Promise<AnalysisNode[]> {
  const { service, path } = ANALYSIS_NODES
  return allOf<AnalysisNode>(api, service, path, {
    query: [
      ['filter[analysisId]', analysisId],
      ['include', 'node'],
    ],
  })
}
