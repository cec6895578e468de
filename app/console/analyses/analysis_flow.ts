import type { Page } from '#console/page'
import { drawFlow, type FlowStep, type StepState } from '#console/svg/flow_picture'
import {
  nodeNameOf,
  progressOf,
  type AnalysisRow,
  type AssignmentRow,
  type ParticipationRow,
} from './records.js'

/** The maximum number of drawn nodes; the others are only counted. */
const MAX_NODES = 12

export interface FlowFacts {
  readonly analysis: AnalysisRow
  readonly assignments: readonly AssignmentRow[]
  /** Undefined if the user may not see them. */
  readonly participations: readonly ParticipationRow[] | undefined
  readonly resultFiles: number | undefined
}

/** Draws the phases of an analysis from its project to its result. */
export function drawAnalysisFlow(page: Page, facts: FlowFacts): string {
  const { analysis, assignments } = facts
  const drawn = assignments.slice(0, MAX_NODES)
  const rest = Math.max(analysis.nodes, assignments.length) - drawn.length
  const steps: FlowStep[] = [
    projectStep(page, facts),
    {
      title: page.t('analyses.flow.locked'),
      state: analysis.configurationLocked ? 'done' : 'waiting',
      text: '',
    },
    approvalStep(page, facts),
    processStep(page, 'built', analysis.buildStatus, analysis.buildProgress),
    processStep(page, 'distributed', analysis.distributionStatus, analysis.distributionProgress),
    ...drawn.map((assignment) => nodeStep(page, assignment)),
    ...(rest > 0 ? [restStep(page, rest, analysis)] : []),
    resultStep(page, facts),
  ]
  return drawFlow(page, page.t('analyses.flow.title'), steps)
}

type Decision = Pick<ParticipationRow, 'approvalStatus'>

function decisionStep(
  page: Page,
  title: string,
  decisions: readonly Decision[],
  total: number
): FlowStep {
  const approved = decisions.filter(({ approvalStatus }) => approvalStatus === 'approved').length
  const rejected = decisions.filter(({ approvalStatus }) => approvalStatus === 'rejected').length
  const isDone = total > 0 && approved >= total
  const state: StepState = rejected > 0 ? 'failed' : isDone ? 'done' : 'waiting'
  const text =
    rejected > 0
      ? page.t('analyses.flow.rejected', { count: rejected })
      : page.t('analyses.flow.approved', { approved, total })
  return { title, state, text }
}

/** Whether the nodes of the analysis have approved its project. */
function projectStep(page: Page, { participations, assignments }: FlowFacts): FlowStep {
  const title = page.t('analyses.flow.project')
  if (!participations) {
    return { title, state: 'waiting', text: page.t('analyses.flow.hidden') }
  }
  const needed = new Set(assignments.map(({ nodeId }) => nodeId))
  const decisions = participations.filter(({ nodeId }) => needed.has(nodeId))
  return decisionStep(page, title, decisions, needed.size)
}

const approvalStep = (page: Page, { assignments, analysis }: FlowFacts): FlowStep =>
  decisionStep(
    page,
    page.t('analyses.flow.nodes'),
    assignments,
    Math.max(analysis.nodes, assignments.length)
  )

function processStep(
  page: Page,
  key: 'built' | 'distributed',
  status: string | null,
  progress: number | null
): FlowStep {
  return {
    title: page.t(`analyses.flow.${key}`),
    state: progressOf(status),
    text: progressText(page, status, progress),
  }
}

function nodeStep(page: Page, assignment: AssignmentRow): FlowStep {
  const { executionStatus, executionProgress } = assignment
  const name = nodeNameOf(assignment)
  return {
    title: page.t('analyses.flow.run', { name }),
    state: progressOf(executionStatus),
    text: progressText(page, executionStatus, executionProgress),
    isBranch: true,
  }
}

const restStep = (page: Page, count: number, { executionStatus }: AnalysisRow): FlowStep => ({
  title: page.t('analyses.flow.rest', { count }),
  state: progressOf(executionStatus),
  text: '',
  isBranch: true,
})

function resultStep(page: Page, { analysis, resultFiles }: FlowFacts): FlowStep {
  const isDone = analysis.executionStatus === 'executed'
  const text =
    resultFiles === undefined ? '' : page.t('analyses.flow.files', { count: resultFiles })
  return { title: page.t('analyses.flow.result'), state: isDone ? 'done' : 'waiting', text }
}

function progressText(page: Page, status: string | null, progress: number | null): string {
  if (status === null || status === 'executed') {
    return ''
  }
  const word = page.textOr(`analyses.statuses.${status}`, status)
  return progress === null ? word : page.t('analyses.flow.progress', { word, progress })
}
