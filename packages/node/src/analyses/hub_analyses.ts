import { PAGE_SIZE, recordsOf } from '#client/pages'
import { isUuid } from '#kernel/is_uuid'

import { publicKeyIn } from '#node/seal/key_pair'
import type { Hub } from '#node/hub/hub'
import { jsonOf } from '#node/hub/json_of'
import type { NodeType, Participant } from './assigned_analysis.js'

/** The execution of an analysis at a node, as the hub stores it. Null means not started. */
type ExecutionStatus =
  'starting' | 'started' | 'stopping' | 'stopped' | 'executing' | 'executed' | 'failed'

/** The final statuses of a run. */
export type RunResult = Extract<ExecutionStatus, 'executed' | 'failed' | 'stopped'>

export interface HubNode {
  readonly id: string
  readonly name: string
  readonly type: NodeType
  readonly clientId: string | null
  readonly publicKey: string | null
  readonly realmId: string
}

export interface Assignment {
  readonly id: string
  readonly approvalStatus: 'approved' | 'rejected' | null
  readonly executionStatus: ExecutionStatus | null
  readonly artifactDigest: string | null
  readonly artifactTag: string | null
  readonly analysisId: string
  readonly nodeId: string
  readonly analysis: {
    readonly id: string
    readonly name: string | null
    readonly projectId: string
    readonly configurationLocked: boolean
    readonly distributionStatus: string | null
    readonly executionStatus: ExecutionStatus | null
  }
}

export interface Content {
  readonly digest: string
  /** The trace of the command that distributed it, if it is recorded. */
  readonly traceparent: string | undefined
}

export interface LogLine {
  readonly message: string
  readonly level: string
  readonly code?: string
}

export interface ExecutionReport {
  readonly executionStatus?: ExecutionStatus
  readonly executionProgress?: number
}

export interface Participation {
  readonly participant: Participant
  readonly executionStatus: ExecutionStatus | null
}

interface PartnerAssignment {
  readonly executionStatus: ExecutionStatus | null
  readonly node: HubNode
}

/** Reads and reports the analyses of a node. */
export class HubAnalyses {
  readonly #hub: Hub

  constructor(hub: Hub) {
    this.#hub = hub
  }

  /** The node of a client. */
  async findNode(clientId: string): Promise<HubNode | undefined> {
    const { data } = await this.#hub.json<{ data: HubNode[] }>('core', '/nodes', {
      query: { 'filter[clientId]': clientId },
    })
    return data[0]
  }

  async publishKey(nodeId: string, publicKey: string): Promise<void> {
    await this.#hub.json('core', `/nodes/${nodeId}`, { method: 'POST', json: { publicKey } })
  }

  /** The assignments of a node, the last changed first: all of them, or one page. */
  async assignments(nodeId: string, all: boolean): Promise<readonly Assignment[]> {
    const query = { 'filter[nodeId]': nodeId, 'include': 'analysis', 'sort': '-updatedAt' }
    const assignments = await this.#assignmentsIn<Assignment>(query, all)
    return assignments.filter(hasIds)
  }

  /** Undefined if the node is not assigned to the analysis. */
  async assignment(nodeId: string, analysisId: string): Promise<Assignment | undefined> {
    const { data } = await this.#hub.json<{ data: Assignment[] }>('core', '/analysis-nodes', {
      query: {
        'filter[nodeId]': nodeId,
        'filter[analysisId]': analysisId,
        'include': 'analysis',
      },
    })
    return data[0]
  }

  /** All nodes of an analysis, with their executions. */
  async participations(analysisId: string): Promise<readonly Participation[]> {
    const partners = await this.#partners(analysisId)
    return partners.flatMap(({ node, executionStatus }) =>
      node.clientId === null
        ? []
        : [{ participant: participantOf(node, node.clientId), executionStatus }]
    )
  }

  async project(id: string): Promise<{ readonly id: string; readonly name: string }> {
    const { data } = await this.#hub.json<{ data: { id: string; name: string } }>(
      'core',
      `/projects/${id}`
    )
    return data
  }

  async content(analysisId: string): Promise<Content> {
    const response = await this.#hub.open('core', `/analyses/${analysisId}/content`)
    const traceparent = response.headers.get('x-analysis-traceparent') ?? undefined
    const { data } = await jsonOf<{ data: { digest: string } }>(response)
    return { digest: data.digest, traceparent }
  }

  async report(assignmentId: string, report: ExecutionReport): Promise<void> {
    await this.#hub.json('core', `/analysis-nodes/${assignmentId}`, {
      method: 'POST',
      json: report,
    })
  }

  /** Approves exactly this content. */
  async approve(assignmentId: string, contentDigest: string): Promise<void> {
    const json = { approvalStatus: 'approved', contentDigest }
    await this.#hub.json('core', `/analysis-nodes/${assignmentId}`, { method: 'POST', json })
  }

  async log(analysisId: string, nodeId: string, line: LogLine): Promise<void> {
    const json = { analysisId, nodeId, ...line }
    await this.#hub.json('core', '/analysis-node-logs', { method: 'POST', json })
  }

  #partners(analysisId: string): Promise<readonly PartnerAssignment[]> {
    const query = { 'filter[analysisId]': analysisId, 'include': 'node', 'sort': 'createdAt' }
    return this.#assignmentsIn<PartnerAssignment>(query, true)
  }

  #assignmentsIn<T>(query: Readonly<Record<string, string>>, all: boolean): Promise<T[]> {
    const read = (offset: number, size: number) => {
      const page = { 'page[limit]': size, 'page[offset]': offset }
      return this.#hub.json<{ data: T[] }>('core', '/analysis-nodes', {
        query: { ...query, ...page },
      })
    }
    return Array.fromAsync(recordsOf(read, all ? {} : { limit: PAGE_SIZE }))
  }
}

function participantOf({ id, type, publicKey }: HubNode, clientId: string): Participant {
  return {
    nodeId: id,
    nodeType: type,
    clientId,
    publicKey: publicKey === null ? undefined : publicKeyIn(publicKey),
  }
}

/** Ids become names of files and hosts, so any other text than a UUID is rejected. */
const hasIds = ({ id, analysisId, nodeId, analysis }: Assignment): boolean =>
  [id, analysisId, nodeId, analysis.projectId].every(isUuid) && analysis.id === analysisId
