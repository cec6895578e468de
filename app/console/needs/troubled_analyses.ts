import {
  blockerOf,
  mentionedIn,
  readExplanation,
  unmetConditions,
  type Explanation,
} from '#console/analyses/explanation'
import { nodeNames, realmNames } from '#console/names'
import type { Page } from '#console/page'
import { isMasterMember } from '#kernel/realm'

/** Explaining each takes a request. */
const LIMIT = 8

interface AnalysisRow {
  readonly id: string
  readonly name: string
  readonly displayName: string | null
  readonly realmId: string
  readonly buildStatus: string | null
  readonly executionStatus: string | null
  readonly updatedAt: string
}

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
  const failed = "or(eq(buildStatus,'failed'),eq(executionStatus,'failed'))"
  const filter = isMasterMember(actor) ? failed : `and(${failed},eq(realmId,'${actor.realmId}'))`
  const query = { filter, 'sort': '-updatedAt', 'page[limit]': LIMIT }
  const listing = await hub.optional(hub.list<AnalysisRow>('core', '/analyses', query))
  const analyses = listing?.data ?? []
  const explanations = await Promise.all(
    analyses.map(({ id }) => hub.optional(readExplanation(page, id)))
  )
  const rows = await describeEach(page, analyses, explanations)
  return { total: listing?.meta.total ?? 0, rows }
}

async function describeEach(
  page: Page,
  analyses: readonly AnalysisRow[],
  explanations: readonly (Explanation | undefined)[]
): Promise<TroubledAnalysis[]> {
  const conditions = explanations.flatMap((one) => (one ? unmetConditions(one).slice(0, 1) : []))
  const mentioned = mentionedIn(conditions)
  const [nodes, realms] = await Promise.all([
    nodeNames(page, mentioned.nodes),
    realmNames(page, mentioned.realms),
  ])
  return analyses.map((analysis, index) => {
    const explanation = explanations[index]
    const [condition] = explanation ? unmetConditions(explanation) : []
    const blocker = condition && blockerOf(page, condition, { nodes, realms })
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
}
