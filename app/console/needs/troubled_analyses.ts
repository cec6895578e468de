import { firstBlockers, readExplanation } from '#console/analyses/explanation'
import { FAILED } from '#console/analyses/phase_filters'
import type { AnalysisRow } from '#console/analyses/records'
import type { Page } from '#console/page'
import type { StuckAnalysis } from '#console/system/installation'
import { isMasterMember } from '#kernel/realm'

/** Analyses of each list. Explaining each takes a request. */
const LIMIT = 8

type TroubleState = 'build' | 'distribution' | 'execution' | 'silent'

/** An analysis that needs help to continue. */
interface Trouble {
  readonly id: string
  readonly name: string
  readonly state: TroubleState
  readonly since: string | null
  readonly problem: string | undefined
}

/** The same with its blocking condition, and who can change it. */
interface TroubledAnalysis extends Trouble {
  readonly sentence: string
  readonly who: string
}

export interface Troubled {
  readonly total: number
  readonly rows: readonly TroubledAnalysis[]
}

interface TroubleList {
  readonly total: number
  readonly rows: readonly Trouble[]
}

/**
 * The failed and stuck analyses of the realm, with their blocking conditions. Members of the master realm see all
 * realms.
 */
export async function findTroubled(page: Page): Promise<Troubled> {
  const lists = await Promise.all([failedAnalyses(page), stuckAnalyses(page)])
  const troubles = lists.flatMap(({ rows }) => rows)
  const explanations = await Promise.all(
    troubles.map(({ id }) => page.hub.optional(readExplanation(page, id)))
  )
  const blockers = await firstBlockers(page, explanations)
  const rows = troubles.map((trouble, index): TroubledAnalysis => {
    const blocker = blockers[index]
    return {
      ...trouble,
      sentence: blocker?.text ?? page.t('needs.troubled.unknown'),
      who: blocker?.who ?? '',
      problem: blocker?.reason ?? trouble.problem,
      since: blocker?.since ?? trouble.since,
    }
  })
  return { total: lists.reduce((sum, { total }) => sum + total, 0), rows }
}

/** Analyses whose build or run failed. */
async function failedAnalyses({ actor, hub }: Page): Promise<TroubleList> {
  const filter = isMasterMember(actor) ? FAILED : `and(${FAILED},eq(realmId,'${actor.realmId}'))`
  const query = { filter, 'sort': '-updatedAt', 'page[limit]': LIMIT }
  const listing = await hub.optional(hub.list<AnalysisRow>('core', '/analyses', query))
  const rows = (listing?.data ?? []).map(
    ({ id, name, displayName, executionStatus, updatedAt }): Trouble => ({
      id,
      name: displayName ?? name,
      state: executionStatus === 'failed' ? 'execution' : 'build',
      since: updatedAt,
      problem: undefined,
    })
  )
  return { total: listing?.meta.total ?? 0, rows }
}

/** Analyses whose distribution failed, or whose worker does not respond. */
async function stuckAnalyses({ hub }: Page): Promise<TroubleList> {
  const answer = await hub.optional(
    hub.read<{ data: readonly StuckAnalysis[] }>('core', '/stuck-analyses')
  )
  const stuck = (answer?.data ?? []).filter(
    ({ process, status }) => process !== 'build' || status !== 'failed'
  )
  const rows = stuck
    .slice(0, LIMIT)
    .map(({ analysisId, name, status, since, problem }): Trouble => ({
      id: analysisId,
      name,
      state: status === 'failed' ? 'distribution' : 'silent',
      since,
      problem: problem ?? undefined,
    }))
  return { total: stuck.length, rows }
}
