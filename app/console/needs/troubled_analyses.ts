import { firstBlockers, readExplanation } from '#console/analyses/explanation'
import { FAILED } from '#console/analyses/phase_filters'
import type { AnalysisRow } from '#console/analyses/records'
import type { Page } from '#console/page'
import { isMasterMember } from '#kernel/realm'

/** Explaining each takes a request. */
const LIMIT = 8

interface TroubledAnalysis {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly sentence: string
  readonly who: string
  readonly reason: string | undefined
  readonly since: string | null
}

export interface Troubled {
  readonly total: number
  readonly rows: readonly TroubledAnalysis[]
}

/** The analyses of the realm that failed, with what they need. Members of the master realm see those of all realms. */
export async function findTroubled(page: Page): Promise<Troubled> {
  const { actor, hub } = page
  const filter = isMasterMember(actor) ? FAILED : `and(${FAILED},eq(realmId,'${actor.realmId}'))`
  const query = { filter, 'sort': '-updatedAt', 'page[limit]': LIMIT }
  const listing = await hub.optional(hub.list<AnalysisRow>('core', '/analyses', query))
  const analyses = listing?.data ?? []
  const explanations = await Promise.all(
    analyses.map(({ id }) => hub.optional(readExplanation(page, id)))
  )
  const blockers = await firstBlockers(page, explanations)
  const rows = analyses.map((analysis, index): TroubledAnalysis => {
    const blocker = blockers[index]
    return {
      id: analysis.id,
      name: analysis.displayName ?? analysis.name,
      state: analysis.executionStatus === 'failed' ? 'execution' : 'build',
      sentence: blocker?.text ?? page.t('needs.troubled.unknown'),
      who: blocker?.who ?? '',
      reason: blocker?.reason,
      since: blocker?.since ?? analysis.updatedAt,
    }
  })
  return { total: listing?.meta.total ?? 0, rows }
}
