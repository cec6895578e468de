import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { projectNode } from '#core/project_nodes/project_node'
import type { Attributes } from '#records/row'
import { call, database, decided, set } from '#tests/functional/core/analysis_scene'
import { aBucket, aFile } from '#tests/functional/storage/storage_scene'
import { sampleRecord } from '#tests/helpers/sample_records'
import type { WorldIdentity } from './world_identity.js'

export const BUCKET_TYPES = ['CODE', 'RESULT', 'TEMP'] as const

export type BucketType = (typeof BUCKET_TYPES)[number]
export type Decision = 'approved' | 'rejected' | null

/** A node with its client, and the realm that decides for it. */
export interface WorldNode {
  readonly id: string
  readonly clientId: string
  readonly realmId: string
}

/** The part of a node in an analysis. */
export interface Part extends WorldNode {
  readonly assignmentId: string
  readonly decision: Decision
}

export interface StoredBucket {
  readonly type: BucketType
  readonly bucketId: string
  readonly fileId: string
  /** The rows of core about both. */
  readonly bucketRowId: string
  readonly fileRowId: string
}

/** An analysis with all that it consists of. */
export interface WorldAnalysis {
  readonly state: string
  readonly id: string
  readonly realmId: string
  readonly clientId: string
  readonly creatorId: string
  readonly projectId: string
  readonly parts: readonly Part[]
  readonly buckets: Readonly<Record<BucketType, StoredBucket>>
}

/** What the columns of an analysis contain in each state, and how the first of its nodes decided; the last never did. */
export const STATES = {
  drafted: { columns: { configuration_locked: false }, decision: null },
  locked: { columns: { configuration_locked: true }, decision: null },
  rejected: { columns: { configuration_locked: true }, decision: 'rejected' },
  approved: { columns: { configuration_locked: true }, decision: 'approved' },
  building: {
    columns: { configuration_locked: true, build_status: 'started' },
    decision: 'approved',
  },
  built: {
    columns: { configuration_locked: true, build_status: 'executed' },
    decision: 'approved',
  },
  distributed: {
    columns: {
      configuration_locked: true,
      build_status: 'executed',
      distribution_status: 'executed',
    },
    decision: 'approved',
  },
  executing: {
    columns: {
      configuration_locked: true,
      build_status: 'executed',
      distribution_status: 'executed',
      execution_status: 'executing',
    },
    decision: 'approved',
  },
  executed: {
    columns: {
      configuration_locked: true,
      build_status: 'executed',
      distribution_status: 'executed',
      execution_status: 'executed',
    },
    decision: 'approved',
  },
} as const satisfies Record<string, { columns: Attributes; decision: Decision }>

export type State = keyof typeof STATES

interface NewAnalysis {
  readonly state: State
  readonly projectId: string
  readonly author: WorldIdentity
  /** The first decides as the state says. */
  readonly nodes: readonly WorldNode[]
}

/** Creates an analysis as its author does, and takes it to a state. */
export async function worldAnalysis({
  state,
  projectId,
  author,
  nodes,
}: NewAnalysis): Promise<WorldAnalysis> {
  const answer = await call(author, 'POST', '/analyses', { projectId })
  if (answer.status !== 201) {
    throw new Error(`${author.name} could not create an analysis: ${JSON.stringify(answer.body)}`)
  }
  const { id, realmId, clientId } = answer.body.data
  const buckets = {
    CODE: await storedBucket(id, realmId, 'CODE'),
    RESULT: await storedBucket(id, realmId, 'RESULT'),
    TEMP: await storedBucket(id, realmId, 'TEMP'),
  }
  await set('analyses', id, STATES[state].columns)
  const parts: Part[] = []
  for (const [index, node] of nodes.entries()) {
    parts.push(await part(id, node, index === 0 ? STATES[state].decision : null))
  }
  const creatorId = author.actor!.id
  return { state, id, realmId, clientId, creatorId, projectId, parts, buckets }
}

/** Stores the decision of a node that the platform assigned when the analysis was created. */
async function part(analysisId: string, node: WorldNode, decision: Decision): Promise<Part> {
  const { rows } = await database().query<{ id: string }>(
    'select id from analysis_nodes where analysis_id = $1 and node_id = $2',
    [analysisId, node.id]
  )
  const assignmentId = rows[0]!.id
  await decided(assignmentId, decision)
  return { ...node, assignmentId, decision }
}

/** Lets nodes take part in a project. */
export async function admitTo(
  project: { readonly id: string; readonly realmId: string },
  nodes: readonly WorldNode[]
): Promise<void> {
  for (const node of nodes) {
    const { id } = await sampleRecord('core', projectNode, {
      projectId: project.id,
      projectRealmId: project.realmId,
      nodeId: node.id,
      nodeRealmId: node.realmId,
    })
    await set('project_nodes', id, { approval_status: 'approved' })
  }
}

/** A bucket of an analysis with a file, at storage and at core, as the platform creates them. */
export async function storedBucket(
  analysisId: string,
  realmId: string,
  type: BucketType
): Promise<StoredBucket> {
  const bucket = await aBucket({ realmId, refType: 'analysis', refId: analysisId })
  const file = await aFile(bucket.id, { realmId })
  const row = await sampleRecord('core', analysisBucket, {
    analysisId,
    realmId,
    type,
    bucketId: bucket.id,
    builtIn: true,
  })
  const fileRow = await sampleRecord('core', analysisBucketFile, {
    analysisId,
    realmId,
    analysisBucketId: row.id,
    bucketId: bucket.id,
    bucketFileId: file.id,
    root: type === 'CODE',
  })
  return {
    type,
    bucketId: bucket.id,
    fileId: file.id,
    bucketRowId: row.id as string,
    fileRowId: fileRow.id as string,
  }
}
