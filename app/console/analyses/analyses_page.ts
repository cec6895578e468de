import { addressWith, offsetOf, searchTextOf } from '#console/lists'
import type { Page, View } from '#console/page'
import { firstBlockers, readExplanation, readyText, type Explanation } from './explanation.js'
import { filterOf, PHASE_FILTERS, phaseFilterOf, type PhaseFilter } from './phase_filters.js'
import { progressOf, type AnalysisRow } from './records.js'

/** Analyses per page. Explaining each takes a request. */
const LIMIT = 20

/** Lists the analyses, with the condition that blocks each of them. */
export async function showAnalyses(page: Page): Promise<View> {
  const phase = phaseFilterOf(page.query.get('phase'))
  const name = searchTextOf(page.query)
  const offset = offsetOf(page.query)
  const { data, meta } = await page.hub.list<AnalysisRow>('core', '/analyses', {
    ...filterOf(phase, name),
    'include': 'project',
    'page[limit]': LIMIT,
    'page[offset]': offset,
  })
  const address = (choice: PhaseFilter, at = 0) =>
    page.url(addressWith('/analyses', { phase: choice === 'all' ? '' : choice, name, offset: at }))
  return page.view('analyses/list', {
    title: page.t('analyses.title'),
    rows: await explainedRows(page, data),
    phases: PHASE_FILTERS.map((key) => ({ key, href: address(key), isCurrent: key === phase })),
    phase,
    name,
    total: meta.total,
    limit: LIMIT,
    offset,
    href: (at: number) => address(phase, at),
  })
}

async function explainedRows(page: Page, analyses: readonly AnalysisRow[]) {
  const explanations = await Promise.all(analyses.map((analysis) => explain(page, analysis)))
  const blockers = await firstBlockers(page, explanations)
  return analyses.map((analysis, index) => {
    const explanation = explanations[index]
    const phase = explanation?.phase ?? phaseOf(analysis)
    return {
      ...analysis,
      phase,
      phaseText: page.textOr(`analyses.phases.${phase}`, phase),
      hasFailed: hasFailed(analysis),
      blocker: blockers[index],
      next: explanation?.ready ? readyText(page, explanation) : undefined,
    }
  })
}

/** Nothing blocks a finished analysis. */
async function explain(page: Page, analysis: AnalysisRow): Promise<Explanation | undefined> {
  return phaseOf(analysis) === 'finished'
    ? undefined
    : page.hub.optional(readExplanation(page, analysis.id))
}

const phaseOf = ({ configurationLocked, executionStatus }: AnalysisRow): string =>
  configurationLocked && executionStatus === 'executed' ? 'finished' : 'unknown'

export const hasFailed = (analysis: AnalysisRow): boolean =>
  [analysis.buildStatus, analysis.distributionStatus, analysis.executionStatus].some(
    (status) => progressOf(status) === 'failed'
  )
