import { analysis as analysisKind } from '#core/analyses/analysis'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { node as nodeKind } from '#core/nodes/node'
import { projectNode } from '#core/project_nodes/project_node'
import { registry } from '#core/registries/registry'
import { registryProject } from '#core/registry_projects/registry_project'
import { clock } from '#kernel/clock'
import { reported, set } from '#tests/functional/core/analysis_scene'
import { sampleRecord } from '#tests/helpers/sample_records'
import type { WorldAnalysis } from '#tests/helpers/world/analyses'
import type { RealmName } from '#tests/helpers/world/people'
import type { World } from '#tests/helpers/world/world'
import type { WorldRequest } from '#tests/helpers/world/world_request'
import { analysisRow, INSTALLATION, nodeRow, someAnalyses } from './facts.js'
import type { RequestMaker } from './kinds.js'

const NODE_REALMS = ['institute', 'north', 'south'] as const
const STATE_NAMES = ['executing', 'rejected', 'drafted', 'elsewhere'] as const

const withEachNode = (method: string, rest: string, body?: object): RequestMaker[] =>
  NODE_REALMS.map((realm) => async (world) => {
    const row = nodeRow(world, realm)
    return { method, path: `/nodes/${row.id}${rest}`, body, row }
  })

/** One request for each of some analyses. */
const ofAnalyses = (ask: (analysis: WorldAnalysis, world: World) => Promise<WorldRequest>) =>
  STATE_NAMES.map(
    (_name, index): RequestMaker =>
      (world) =>
        ask(someAnalyses(world)[index]!, world)
  )

const atAnalyses = (method: string, rest: string, body?: object): RequestMaker[] =>
  ofAnalyses(async (analysis) => ({
    method,
    path: `/analyses/${analysis.id}${rest}`,
    body,
    row: analysisRow(analysis),
  }))

/** A request about an analysis that is not locked. */
const atDraft = (
  method: string,
  rest: string,
  body?: object,
  letIn?: readonly number[]
): RequestMaker[] => [
  async ({ analyses }) => ({
    method,
    path: `/analyses/${analyses.drafted.id}${rest}`,
    body,
    letIn,
    row: analysisRow(analyses.drafted),
  }),
]

/** An analysis whose build makes no progress. */
const ofStuck =
  (realm: RealmName): RequestMaker =>
  async ({ realms }) => {
    const realmId = realms[realm]
    const { id } = await sampleRecord('core', analysisKind, { realmId })
    await reported(id, { process: 'build', status: 'failed' })
    const row = { name: `a stuck analysis of the ${realm}`, id: id as string, realmId }
    return { method: 'GET', path: '/stuck-analyses', row, finds: row.id }
  }

const central = (
  method: string,
  path: string,
  more: Partial<WorldRequest> = {}
): RequestMaker[] => [async () => ({ method, path, row: INSTALLATION, ...more })]

/** A node of the north that takes part in the project of an analysis, and is not assigned to the latter. */
async function newMember(analysis: WorldAnalysis, world: World) {
  const realmId = world.realms.north
  const made = await sampleRecord('core', nodeKind, { realmId, clientId: clock.uuid() })
  const { id } = await sampleRecord('core', projectNode, {
    projectId: analysis.projectId,
    projectRealmId: analysis.realmId,
    nodeId: made.id,
    nodeRealmId: realmId,
  })
  await set('project_nodes', id, { approval_status: 'approved' })
  return { id: made.id as string, clientId: made.clientId as string, realmId }
}

/** A fresh assignment of a node of the north, which has not decided. */
async function newAssignment(analysis: WorldAnalysis, world: World) {
  const node = await newMember(analysis, world)
  const { id } = await sampleRecord('core', analysisNode, {
    analysisId: analysis.id,
    analysisRealmId: analysis.realmId,
    nodeId: node.id,
    nodeRealmId: node.realmId,
  })
  const none = { approval_status: null, execution_status: null, execution_progress: null }
  await set('analysis_nodes', id, none)
  return analysisRow(analysis, { id: id as string, called: 'assignment', node })
}

const ofAssignments = (method: string, body?: object, rest = ''): RequestMaker[] =>
  ['executing', 'drafted'].map((name) => async (world) => {
    const row = await newAssignment(world.analyses[name as 'executing'], world)
    return { method, path: `/analysis-nodes/${row.id}${rest}`, body, row }
  })

/** A fresh file in the bucket with the results of an analysis, whose configuration may be locked. */
async function newFile(analysis: WorldAnalysis) {
  const { bucketRowId, bucketId } = analysis.buckets.RESULT
  const { id } = await sampleRecord('core', analysisBucketFile, {
    analysisId: analysis.id,
    realmId: analysis.realmId,
    analysisBucketId: bucketRowId,
    bucketId,
  })
  return analysisRow(analysis, { id: id as string, called: 'file', type: 'RESULT' })
}

async function newBucketRow(analysis: WorldAnalysis) {
  const { id } = await sampleRecord('core', analysisBucket, {
    analysisId: analysis.id,
    realmId: analysis.realmId,
    type: 'RESULT',
    builtIn: false,
  })
  return analysisRow(analysis, { id: id as string, called: 'bucket', type: 'RESULT' })
}

/** A node that has an account in a registry. */
async function connectedNode({ realms }: World, realm: RealmName) {
  const realmId = realms[realm]
  const { id } = await sampleRecord('core', nodeKind, { realmId })
  return { id: id as string, realmId }
}

const logQuery = (analysis: WorldAnalysis, node?: string) =>
  `filter[analysisId]=${analysis.id}${node ? `&filter[nodeId]=${node}` : ''}`

/** What to send for the routes of core that do not follow from a kind. */
export const CORE_REQUESTS: Readonly<Record<string, readonly RequestMaker[]>> = {
  'commandMasterImage': central('POST', '/master-images/command', { body: { command: 'sync' } }),
  'listImageKeys': central('GET', '/image-keys'),
  'commandService': [
    async () => ({
      method: 'POST',
      path: '/services/registry/command',
      body: { command: 'setup', id: (await sampleRecord('core', registry)).id },
      row: INSTALLATION,
    }),
  ],
  'hookService': central('POST', '/services/registry/hook', { body: { type: 'PUSH_ARTIFACT' } }),
  'readRegistryWorkerCredentials': [
    async () => ({
      method: 'GET',
      path: `/registries/${(await sampleRecord('core', registry)).id}/worker/credentials`,
      row: INSTALLATION,
    }),
  ],
  'readRegistryMasterCredentials': [
    async () => ({
      method: 'GET',
      path: `/registries/${(await sampleRecord('core', registry)).id}/worker/master-credentials`,
      row: INSTALLATION,
    }),
  ],
  'readAdoption': [
    async () => ({
      method: 'GET',
      path: `/registry-projects/${(await sampleRecord('core', registryProject)).id}/adoption`,
      letIn: [503],
      row: INSTALLATION,
    }),
  ],

  'readNodeClientCredentials': withEachNode('GET', '/client/credentials'),
  'rotateNodeClientCredentials': withEachNode('POST', '/client/credentials', {
    secret: 'another secret of a node',
  }),
  'readNodeRegistryCredentials': NODE_REALMS.map((realm) => async (world) => {
    const { id, realmId } = await connectedNode(world, realm)
    const row = { name: `a node of the ${realm} with a registry`, id, realmId }
    return { method: 'GET', path: `/nodes/${id}/registry/credentials`, row }
  }),
  'readNodePresence': withEachNode('GET', '/presence'),
  'readPresenceOfNodes': NODE_REALMS.map((realm) => async (world) => {
    const row = nodeRow(world, realm)
    return { method: 'GET', path: `/node-presence?nodeId=${row.id}`, row, isList: true }
  }),

  'explainAnalysis': atAnalyses('GET', '/explain'),
  'readAnalysisContent': atAnalyses('GET', '/content'),
  'readAnalysisCode': atAnalyses('GET', '/code'),
  'readAnalysisTimeline': atAnalyses('GET', '/timeline'),
  'readBuildRegistry': atAnalyses('GET', '/build-registry'),
  'commandAnalysis': atAnalyses('POST', '/command', { command: 'storageCheck' }),
  'readAnalysisCredentials': atAnalyses('GET', '/client/credentials'),
  'rotateAnalysisCredentials': atAnalyses('POST', '/client/credentials', {
    secret: 'another secret of an analysis',
  }),
  'listAnalysisPermissions': atAnalyses('GET', '/client/permissions'),
  'grantAnalysisPermission': atDraft('POST', '/client/permissions', {
    permissionId: 'analysis_self_storage_use',
  }),
  'revokeAnalysisPermission': atDraft(
    'DELETE',
    `/client/permissions/${clock.uuid()}`,
    undefined,
    [404]
  ),

  'createAnalysisNode': [
    async (world) => {
      const { drafted } = world.analyses
      const node = await newMember(drafted, world)
      const body = { analysisId: drafted.id, nodeId: node.id }
      return { method: 'POST', path: '/analysis-nodes', body, row: analysisRow(drafted) }
    },
  ],
  'updateAnalysisNode': ofAssignments('POST', { approvalStatus: 'approved' }),
  'updateAnalysisNode (execution)': ofAssignments('POST', { executionStatus: 'started' }),
  'readAnalysisNodeChanges': ofAssignments('GET', undefined, '/changes'),
  'deleteAnalysisNode': ofAssignments('DELETE'),

  'createAnalysisBucket': ofAnalyses(async (analysis) => {
    const body = { analysisId: analysis.id, type: 'RESULT', bucketId: clock.uuid() }
    return { method: 'POST', path: '/analysis-buckets', body, row: analysisRow(analysis) }
  }),
  'updateAnalysisBucket': ofAnalyses(async (analysis) => {
    const row = await newBucketRow(analysis)
    return { method: 'POST', path: `/analysis-buckets/${row.id}`, body: {}, row }
  }),
  'deleteAnalysisBucket': ofAnalyses(async (analysis) => {
    const row = await newBucketRow(analysis)
    return { method: 'DELETE', path: `/analysis-buckets/${row.id}`, row }
  }),
  'createAnalysisBucketFile': ofAnalyses(async (analysis) => {
    const { bucketId, bucketRowId } = analysis.buckets.RESULT
    const path = `file-${clock.uuid()}`
    const body = { path, bucketId, bucketFileId: clock.uuid(), analysisBucketId: bucketRowId }
    return {
      method: 'POST',
      path: '/analysis-bucket-files',
      body,
      row: analysisRow(analysis, { called: 'new file', type: 'RESULT' }),
    }
  }),
  'updateAnalysisBucketFile': ofAnalyses(async (analysis) => {
    const row = await newFile(analysis)
    return {
      method: 'POST',
      path: `/analysis-bucket-files/${row.id}`,
      body: { path: `another-${clock.uuid()}` },
      row,
    }
  }),
  'deleteAnalysisBucketFile': ofAnalyses(async (analysis) => {
    const row = await newFile(analysis)
    return { method: 'DELETE', path: `/analysis-bucket-files/${row.id}`, row }
  }),

  'listAnalysisLog': ofAnalyses(async (analysis) => ({
    method: 'GET',
    path: `/analysis-logs?${logQuery(analysis)}`,
    row: analysisRow(analysis),
  })),
  'listAnalysisLog (stream)': ofAnalyses(async (analysis) => ({
    method: 'GET',
    path: `/analysis-logs?${logQuery(analysis)}`,
    headers: { accept: 'text/event-stream' },
    row: analysisRow(analysis),
  })),
  'listAnalysisNodeLog': ofAnalyses(async (analysis, { nodes }) => ({
    method: 'GET',
    path: `/analysis-node-logs?${logQuery(analysis, nodes.north.id)}`,
    row: analysisRow(analysis),
  })),
  'deleteAnalysisLog': ofAnalyses(async (analysis) => ({
    method: 'DELETE',
    path: `/analysis-logs?${logQuery(analysis)}`,
    row: analysisRow(analysis),
  })),
  'deleteAnalysisNodeLog': ofAnalyses(async (analysis, { nodes }) => ({
    method: 'DELETE',
    path: `/analysis-node-logs?${logQuery(analysis, nodes.north.id)}`,
    row: analysisRow(analysis),
  })),
  'createAnalysisNodeLog': (['north', 'south'] as const).map((realm) => async (world) => {
    const node = world.nodes[realm]
    const body = { analysisId: world.analyses.executing.id, nodeId: node.id, message: 'A line' }
    const row = analysisRow(world.analyses.executing, { called: `log at ${realm}`, node })
    return { method: 'POST', path: '/analysis-node-logs', body, row }
  }),

  'readStorageReach': central('GET', `/storage-reach?clientId=${clock.uuid()}`, { letIn: [400] }),
  'removeCodeRecords': central('POST', '/code-removals', {
    body: {
      file: clock.uuid(),
      actor: { kind: 'user', id: clock.uuid(), name: 'ada', realmId: null, realmName: null },
    },
  }),
  'readStatus': central('GET', '/admin/status'),
  'readRequest': central('GET', '/admin/request'),
  'listDeadLetters': central('GET', '/admin/bus/dead'),
  'redriveDeadLetter': central('POST', `/admin/bus/dead/${clock.uuid()}/redrive`, { letIn: [404] }),
  'dropDeadLetter': central('DELETE', `/admin/bus/dead/${clock.uuid()}`, { letIn: [404] }),
  'runSweep': central('POST', '/admin/sweeps/messages'),
  'readExamination': central('GET', '/admin/examination'),
  'startExamination': central('POST', '/admin/examination'),

  'listStuckAnalyses': [ofStuck('institute'), ofStuck('north')],
}
