import type { Page, View } from '#console/page'
import { realmNames, userNames, type Names } from '#console/names'
import { drawAnalysisFlow } from './analysis_flow.js'
import { hasFailed } from './analyses_page.js'
import { offeredCommands } from './commands.js'
import {
  blockerOf,
  readExplanation,
  readyText,
  type Actors,
  type Explanation,
  type NodeExecution,
} from './explanation.js'
import { bucketsOf, filesIn } from './files.js'
import {
  nodeNameOf,
  type AnalysisRow,
  type AssignmentRow,
  type ParticipationRow,
} from './records.js'

const MAX_NODES = 50
const RESULTS = { limit: 10, offset: 0 }

/** Shows an analysis: the condition it waits for, its phases, its nodes, and the possible commands. */
export async function showAnalysis(page: Page): Promise<View> {
  const facts = await readFacts(page, page.uuid('id'))
  const { analysis, explanation, assignments, results } = facts
  const names = await namesFor(page, facts)
  const actors = { nodes: nodesOf(assignments), realms: names.realms }
  const phase = explanation?.phase ?? 'unknown'
  const flow = drawAnalysisFlow(page, { ...facts, resultFiles: results.meta.total })
  return page.view('analyses/one', {
    title: analysis.displayName ?? analysis.name,
    analysis,
    tab: 'overview',
    phase,
    phaseText: page.textOr(`analyses.phases.${phase}`, phase),
    hasFailed: hasFailed(analysis),
    next: explanation?.ready ? readyText(page, explanation) : undefined,
    conditions: explanation ? conditionsOf(page, explanation, actors) : [],
    flow,
    nodes: nodeRows(page, facts, names.realms),
    moreNodes: Math.max(0, analysis.nodes - assignments.length),
    results: results.data,
    moreResults: Math.max(0, results.meta.total - results.data.length),
    commands: offeredCommands(page, analysis),
    realm: names.realms.get(analysis.realmId),
    user: names.users.get(analysis.userId ?? ''),
  })
}

type Facts = Awaited<ReturnType<typeof readFacts>>

async function readFacts(page: Page, id: string) {
  const [analysis, explanation, assignments, buckets] = await Promise.all([
    readAnalysis(page, id),
    page.hub.optional(readExplanation(page, id)),
    readAssignments(page, id),
    bucketsOf(page, id),
  ])
  const [participations, results] = await Promise.all([
    participationsOf(page, analysis, assignments),
    filesIn(page, buckets, 'RESULT', RESULTS),
  ])
  return { analysis, explanation, assignments, participations, results }
}

/** Reads an analysis with its project and image. */
export async function readAnalysis(page: Page, id: string): Promise<AnalysisRow> {
  const query = { include: 'project,masterImage' }
  const { data } = await page.hub.read<{ data: AnalysisRow }>('core', `/analyses/${id}`, query)
  return data
}

/** The nodes of an analysis, at most a page of them; an empty list if the user may not see them. */
export async function readAssignments(
  { hub }: Page,
  id: string
): Promise<readonly AssignmentRow[]> {
  const listing = await hub.optional(
    hub.list<AssignmentRow>('core', '/analysis-nodes', {
      'filter[analysisId]': id,
      'include': 'node',
      'sort': 'createdAt',
      'page[limit]': MAX_NODES,
    })
  )
  return listing?.data ?? []
}

async function participationsOf(
  { hub }: Page,
  { projectId }: AnalysisRow,
  assignments: readonly AssignmentRow[]
): Promise<readonly ParticipationRow[] | undefined> {
  if (assignments.length === 0) {
    return []
  }
  const participations = await hub.optional(
    hub.list<ParticipationRow>('core', '/project-nodes', {
      'filter[projectId]': projectId,
      'filter[nodeId]': assignments.map(({ nodeId }) => nodeId).join(),
      'page[limit]': MAX_NODES,
    })
  )
  return participations?.data
}

async function namesFor(page: Page, { analysis, assignments, explanation }: Facts) {
  const responsible = explanation?.conditions.flatMap(({ who }) => who) ?? []
  const realmIds = [
    analysis.realmId,
    ...assignments.map(({ nodeRealmId }) => nodeRealmId),
    ...responsible.map(({ realmId }) => realmId),
  ]
  const [realms, users] = await Promise.all([
    realmNames(page, realmIds),
    page.may('user_read') ? userNames(page, [analysis.userId]) : new Map<string, string>(),
  ])
  return { realms, users }
}

const nodesOf = (assignments: readonly AssignmentRow[]): Names =>
  new Map(assignments.map((one) => [one.nodeId, nodeNameOf(one)]))

function conditionsOf(page: Page, { conditions }: Explanation, actors: Actors) {
  return conditions.map((condition) => ({
    ...condition,
    met: page.textOr(`analyses.conditions.${condition.code}.met`, condition.code),
    ...(!condition.holds && { blocker: blockerOf(page, condition, actors) }),
  }))
}

/** Describes each node with its decisions and its run. */
function nodeRows(page: Page, { assignments, participations, explanation }: Facts, realms: Names) {
  const executions = executionsIn(explanation)
  const projectStatus = new Map(
    participations?.map(({ nodeId, approvalStatus }) => [nodeId, approvalStatus ?? 'open'])
  )
  return assignments.map((assignment) => {
    const execution = executions.get(assignment.nodeId)
    return {
      ...assignment,
      name: nodeNameOf(assignment),
      isOnline: assignment.node?.online,
      realm: realms.get(assignment.nodeRealmId),
      project: projectStatus.get(assignment.nodeId),
      approval: assignment.approvalStatus ?? 'open',
      status:
        assignment.executionStatus === null
          ? undefined
          : page.textOr(
              `analyses.statuses.${assignment.executionStatus}`,
              assignment.executionStatus
            ),
      awaySince: execution?.awaySince ?? undefined,
      message: execution?.message,
      output: execution?.output?.join('\n'),
    }
  })
}

function executionsIn(explanation: Explanation | undefined): ReadonlyMap<string, NodeExecution> {
  const all = explanation?.conditions.flatMap(({ nodes }) => nodes ?? []) ?? []
  return new Map(all.map((one) => [one.nodeId, one]))
}
