import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { masterImage } from '#core/master_images/master_image'
import { node } from '#core/nodes/node'
import { projectNode } from '#core/project_nodes/project_node'
import { project as projectKind } from '#core/projects/project'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { PLATFORM_PERMISSIONS } from '#auth/permission_names'
import { realm } from '#identity/realms/realm'
import type { Values } from '#records/kind'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

export type Person = ReturnType<typeof identity>

export interface Answer {
  readonly status: number
  readonly body: any
}

/** Sends a request to core and answers what came back. */
export async function call(
  by: Person,
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

/** Somebody of a realm, who holds every permission unless it is said which. */
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

/** Sets columns past every rule, by their names in the database. */
export async function set(table: string, id: unknown, values: Values): Promise<void> {
  const assignments = Object.keys(values).map((name, index) => `"${name}" = $${index + 2}`)
  await database().query(`update ${table} set ${assignments.join()} where id = $1`, [
    id,
    ...Object.values(values),
  ])
}

/** A project of one realm, and nodes of another one that take part in it. */
export class Scene {
  private constructor(
    readonly realms: { readonly project: string; readonly node: string; readonly foreign: string },
    readonly project: Values
  ) {}

  static async set(): Promise<Scene> {
    const [own, site, foreign] = await Promise.all(
      [1, 2, 3].map(async () => (await sampleRecord('identity', realm)).id as string)
    )
    const values = await sampleRecord('core', projectKind, { realmId: own })
    await set('projects', values.id, { analyses: 0, nodes: 0 })
    return new Scene({ project: own!, node: site!, foreign: foreign! }, values)
  }

  /** Who may do everything that can be done in the realm of the project. */
  readonly researcher = (permissions?: string[]) => person(this.realms.project, { permissions })

  /** Who may do everything that can be done in the realm of the nodes. */
  readonly steward = (permissions?: string[]) => person(this.realms.node, { permissions })

  readonly stranger = () => person(this.realms.foreign)

  readonly admin = () => person(this.realms.foreign, { realmName: 'master' })

  node(type: 'default' | 'aggregator' = 'default', given: Values = {}): Promise<Values> {
    return sampleRecord('core', node, { realmId: this.realms.node, type, ...given })
  }

  /** A node that is asked whether it takes part in the project; it has answered if that is given. */
  async member(
    approvalStatus: 'approved' | 'rejected' | null = 'approved',
    type: 'default' | 'aggregator' = 'default'
  ): Promise<Values> {
    const made = await this.node(type)
    const { id } = await sampleRecord('core', projectNode, {
      projectId: this.project.id,
      projectRealmId: this.realms.project,
      nodeId: made.id,
      nodeRealmId: this.realms.node,
    })
    await set('project_nodes', id, { approval_status: approvalStatus })
    return made
  }

  /** The program that runs on a node. */
  clientOf({ clientId }: Values): Person {
    return person(this.realms.node, {
      kind: 'client',
      id: clientId as string,
      permissions: ['analysis_update'],
    })
  }

  async analysis(body: Values = {}, by = this.researcher()): Promise<Values> {
    const answer = await call(by, 'POST', '/analyses', { projectId: this.project.id, ...body })
    if (answer.status !== 201) {
      throw new Error(`No analysis was made: ${JSON.stringify(answer.body)}`)
    }
    return answer.body.data
  }

  /** The analysis as it is now. */
  async read({ id }: Values): Promise<Values> {
    return (await call(this.researcher(), 'GET', `/analyses/${id}`)).body.data
  }

  async assign(analysis: Values, assigned: Values): Promise<Values> {
    const body = { analysisId: analysis.id, nodeId: assigned.id }
    const answer = await call(this.researcher(), 'POST', '/analysis-nodes', body)
    if (answer.status !== 201) {
      throw new Error(`The node was not assigned: ${JSON.stringify(answer.body)}`)
    }
    return answer.body.data
  }

  /** A node that is assigned to an analysis, past every rule. */
  async assigned(analysis: Values, approvalStatus: string | null = null): Promise<Values> {
    const made = await this.member()
    const values = await sampleRecord('core', analysisNode, {
      analysisId: analysis.id,
      analysisRealmId: analysis.realmId,
      nodeId: made.id,
      nodeRealmId: made.realmId,
    })
    const rest = { execution_status: null, execution_progress: null, comment: null }
    await set('analysis_nodes', values.id, { approval_status: approvalStatus, ...rest })
    return { ...values, node: made }
  }

  bucket(analysis: Values, type: 'CODE' | 'RESULT' | 'TEMP' = 'CODE'): Promise<Values> {
    return sampleRecord('core', analysisBucket, {
      analysisId: analysis.id,
      realmId: analysis.realmId,
      type,
    })
  }

  /** A file that is there, past every rule. */
  file(bucket: Values, given: Values = {}): Promise<Values> {
    return sampleRecord('core', analysisBucketFile, {
      analysisId: bucket.analysisId,
      analysisBucketId: bucket.id,
      bucketId: bucket.bucketId,
      realmId: bucket.realmId,
      ...given,
    })
  }

  image(): Promise<Values> {
    return sampleRecord('core', masterImage)
  }
}
