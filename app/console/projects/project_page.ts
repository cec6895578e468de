import { nodeNameOf, type AnalysisRow, type ParticipationRow } from '#console/analyses/records'
import { hasFailed } from '#console/analyses/analyses_page'
import { realmNames, userNames } from '#console/names'
import type { Page, View } from '#console/page'
import type { ProjectRow } from './projects_page.js'

const MAX_NODES = 50
const MAX_ANALYSES = 20

/** Shows a project: its owner, its nodes, and its newest analyses. */
export async function showProject(page: Page): Promise<View> {
  const id = page.uuid('id')
  const { hub } = page
  const [{ data: project }, nodes, analyses] = await Promise.all([
    hub.read<{ data: ProjectRow }>('core', `/projects/${id}`),
    hub.optional(
      hub.list<ParticipationRow>('core', '/project-nodes', {
        'filter[projectId]': id,
        'include': 'node',
        'sort': 'createdAt',
        'page[limit]': MAX_NODES,
      })
    ),
    hub.optional(
      hub.list<AnalysisRow>('core', '/analyses', {
        'filter[projectId]': id,
        'sort': '-updatedAt',
        'page[limit]': MAX_ANALYSES,
      })
    ),
  ])
  const participations = nodes?.data ?? []
  const [realms, users] = await Promise.all([
    realmNames(page, [project.realmId, ...participations.map(({ nodeRealmId }) => nodeRealmId)]),
    page.may('user_read') ? userNames(page, [project.userId]) : new Map<string, string>(),
  ])
  return page.view('projects/one', {
    title: project.displayName ?? project.name,
    project,
    realm: realms.get(project.realmId),
    user: users.get(project.userId ?? ''),
    nodes: participations.map((one) => ({
      ...one,
      name: nodeNameOf(one),
      isOnline: one.node?.online,
      realm: realms.get(one.nodeRealmId),
      approval: one.approvalStatus ?? 'open',
    })),
    moreNodes: Math.max(0, (nodes?.meta.total ?? 0) - participations.length),
    analyses: (analyses?.data ?? []).map((one) => ({
      ...one,
      hasFailed: hasFailed(one),
      isFinished: one.executionStatus === 'executed',
    })),
    moreAnalyses: Math.max(0, (analyses?.meta.total ?? 0) - MAX_ANALYSES),
  })
}
