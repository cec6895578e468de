import { hash } from 'node:crypto'

import { CONTENT_DIGEST } from '#core/analyses/approved_content'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { masterImage } from '#core/master_images/master_image'
import { node } from '#core/nodes/node'
import { projectNode } from '#core/project_nodes/project_node'
import { project as projectKind } from '#core/projects/project'
import { registry } from '#core/registries/registry'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { PLATFORM_PERMISSIONS } from '#auth/permission_names'
import { realm } from '#identity/realms/realm'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { aBucket, aFile } from '#tests/functional/storage/storage_scene'
import { sampleRecord } from '#tests/helpers/sample_records'

export type Person = ReturnType<typeof identity>

export interface Answer {
  readonly status: number
  readonly body: any
}

/** Sends a request to core and returns the response. */
export async function call(
  by: { readonly headers: Readonly<Record<string, string>> },
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object
): Promise<Answer> {
  const response = await fetch(at('core', path), {
    method,
    headers: { ...by.headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

/** A caller of a realm, by default with every permission. */
export function person(
  realmId: string,
  {
    kind = 'user',
    permissions = [...PLATFORM_PERMISSIONS],
    realmName = 'a-site',
    id = clock.uuid(),
  }: {
    kind?: 'user' | 'client' | 'robot'
    permissions?: string[]
    realmName?: string
    id?: string
  } = {}
): Person {
  return identity({ kind, permissions, realmId, realmName, id })
}

export const database = () => pools.for(databaseUrl('core'))

/** Sets columns directly, by their names in the database. */
export async function set(table: string, id: unknown, values: Attributes): Promise<void> {
  const assignments = Object.keys(values).map((name, index) => `"${name}" = $${index + 2}`)
  await database().query(`update ${table} set ${assignments.join()} where id = $1`, [
    id,
    ...Object.values(values),
  ])
}

/** Stores the decision of a node about the current content directly. */
export async function decided(assignmentId: unknown, approvalStatus: unknown): Promise<void> {
  await database().query(
    `update analysis_nodes n set approval_status = $2::text, approved_digest = (
       select ${CONTENT_DIGEST} from analyses a where a.id = n.analysis_id and $2::text = 'approved')
     where n.id = $1`,
    [assignmentId, approvalStatus]
  )
}

interface Report {
  readonly process: 'build' | 'distribution'
  readonly status: string
  readonly secondsAgo?: number
  readonly problem?: string
}

/** Stores what a worker reported last, directly. */
export async function reported(
  analysisId: unknown,
  { process, status, secondsAgo = 0, problem }: Report
): Promise<void> {
  await set('analyses', analysisId, { [`${process}_status`]: status })
  await database().query(
    `insert into analysis_runs (analysis_id, process, run, reported_at, problem)
     values ($1, $2, 'a-run', now() - make_interval(secs => $3), $4)`,
    [analysisId, process, secondsAgo, problem ?? null]
  )
}

/** A project of one realm, and nodes of another realm that participate in it. */
export class Scene {
  private constructor(
    readonly realms: { readonly project: string; readonly node: string; readonly foreign: string },
    readonly project: Attributes
  ) {}

  static async set(): Promise<Scene> {
    const [own, site, foreign] = await Promise.all(
      [1, 2, 3].map(async () => (await sampleRecord('identity', realm)).id as string)
    )
    const values = await sampleRecord('core', projectKind, { realmId: own })
    await set('projects', values.id, { analyses: 0, nodes: 0 })
    return new Scene({ project: own!, node: site!, foreign: foreign! }, values)
  }

  /** A caller with every permission in the realm of the project. */
  readonly researcher = (permissions?: string[]) => person(this.realms.project, { permissions })

  /** A caller with every permission in the realm of the nodes. */
  readonly steward = (permissions?: string[]) => person(this.realms.node, { permissions })

  readonly stranger = () => person(this.realms.foreign)

  readonly admin = () => person(this.realms.foreign, { realmName: 'master' })

  node(
    type: 'default' | 'aggregator' = 'default',
    attributes: Attributes = {}
  ): Promise<Attributes> {
    return sampleRecord('core', node, { realmId: this.realms.node, type, ...attributes })
  }

  /** A node of the project, by default without a decision. */
  async member(
    approvalStatus: 'approved' | 'rejected' | null = 'approved',
    type: 'default' | 'aggregator' = 'default'
  ): Promise<Attributes> {
    const created = await this.node(type)
    const { id } = await sampleRecord('core', projectNode, {
      projectId: this.project.id,
      projectRealmId: this.realms.project,
      nodeId: created.id,
      nodeRealmId: this.realms.node,
    })
    await set('project_nodes', id, { approval_status: approvalStatus })
    return created
  }

  /** The client of a node. */
  clientOf({ clientId }: Attributes): Person {
    return person(this.realms.node, {
      kind: 'client',
      id: clientId as string,
      permissions: ['analysis_update'],
    })
  }

  async analysis(body: Attributes = {}, by = this.researcher()): Promise<Attributes> {
    const answer = await call(by, 'POST', '/analyses', { projectId: this.project.id, ...body })
    if (answer.status !== 201) {
      throw new Error(`No analysis was made: ${JSON.stringify(answer.body)}`)
    }
    return answer.body.data
  }

  /** Reads the analysis. */
  async read({ id }: Attributes): Promise<Attributes> {
    return (await call(this.researcher(), 'GET', `/analyses/${id}`)).body.data
  }

  async assign(analysis: Attributes, assigned: Attributes): Promise<Attributes> {
    const body = { analysisId: analysis.id, nodeId: assigned.id }
    const answer = await call(this.researcher(), 'POST', '/analysis-nodes', body)
    if (answer.status !== 201) {
      throw new Error(`The node was not assigned: ${JSON.stringify(answer.body)}`)
    }
    return answer.body.data
  }

  /** Inserts an assignment directly. */
  async assigned(analysis: Attributes, approvalStatus: string | null = null): Promise<Attributes> {
    const created = await this.member()
    const values = await sampleRecord('core', analysisNode, {
      analysisId: analysis.id,
      analysisRealmId: analysis.realmId,
      nodeId: created.id,
      nodeRealmId: created.realmId,
    })
    const rest = { execution_status: null, execution_progress: null, comment: null }
    await set('analysis_nodes', values.id, rest)
    await decided(values.id, approvalStatus)
    return { ...values, node: created }
  }

  /** Inserts a built-in bucket. */
  bucket(analysis: Attributes, type: 'CODE' | 'RESULT' | 'TEMP' = 'CODE'): Promise<Attributes> {
    return sampleRecord('core', analysisBucket, {
      analysisId: analysis.id,
      realmId: analysis.realmId,
      type,
      builtIn: true,
    })
  }

  /** Inserts a file directly. */
  file(bucket: Attributes, attributes: Attributes = {}): Promise<Attributes> {
    return sampleRecord('core', analysisBucketFile, {
      analysisId: bucket.analysisId,
      analysisBucketId: bucket.id,
      bucketId: bucket.bucketId,
      realmId: bucket.realmId,
      ...attributes,
    })
  }

  /** A code file whose bytes are stored. */
  async codeFile(bucket: Attributes, attributes: Attributes = {}): Promise<Attributes> {
    const { realmId } = bucket
    const stored = await aBucket({ realmId })
    const sha256 = hash('sha256', 'content')
    const { id } = await aFile(stored.id, { realmId, sha256 })
    return this.file(bucket, { ...attributes, bucketFileId: id })
  }

  registry(): Promise<Attributes> {
    return sampleRecord('core', registry)
  }

  image(): Promise<Attributes> {
    return sampleRecord('core', masterImage)
  }
}
