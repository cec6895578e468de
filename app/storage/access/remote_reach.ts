import type { RemoteSurface } from '#auth/remote_surface'
import { orUnavailable } from '#auth/or_unavailable'
import { ownRequest } from '#auth/own_request'
import type { AnalysisReach, Reach } from './analysis_reach.js'

/** The address of core, and the provider that issues our token. */
export interface CoreAccess extends Pick<RemoteSurface, 'provider'> {
  readonly url: string | undefined
}

interface ReachAnswer {
  readonly program: Reach['program']
  readonly analyses: readonly string[]
  readonly codeBuckets: readonly string[]
  readonly types: readonly string[]
  readonly realmId: string | null
}

/** The reach of callers, as core returns it over HTTP. */
export function remoteReach(core: CoreAccess): AnalysisReach {
  return {
    async of({ kind, id, decidesFor }) {
      const query = { kind, id, ...(decidesFor !== null && { decidesFor }) }
      const { program, analyses, codeBuckets } = await fetchReach(core, query)
      return { program, analyses: new Set(analyses), codeBuckets: new Set(codeBuckets) }
    },
    async typesOf(bucketId) {
      const { types } = await fetchReach(core, { bucketId })
      return types
    },
    async realmOf(analysisId) {
      const { realmId } = await fetchReach(core, { analysisId })
      return realmId ?? undefined
    },
  }
}

function fetchReach(core: CoreAccess, query: Record<string, string>): Promise<ReachAnswer> {
  const message = 'Participation in the analysis cannot be determined now; try again shortly'
  const path = `/storage-reach?${new URLSearchParams(query)}`
  return orUnavailable({ service: 'core', message }, () => requestReach(core, path))
}

async function requestReach({ url, provider }: CoreAccess, path: string): Promise<ReachAnswer> {
  if (url === undefined) {
    throw new Error('CORE_URL is not set')
  }
  const answer = await ownRequest({ url, provider }, path)
  if (answer.status !== 200) {
    throw new Error(`status ${answer.status}`)
  }
  const { data } = JSON.parse(answer.text) as { data: ReachAnswer }
  return data
}
