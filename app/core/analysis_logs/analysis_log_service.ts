import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { SecurityAudit } from '#audit/security_audit'
import { CorePool } from '#core/database'
import type { LogQuery } from './log_query.js'
import type { AnalysisNodeLogBody } from './analysis_log.js'
import { AnalysisLogStore, type NewLogLine } from './analysis_log_store.js'
import { requireOwnNode } from '#core/nodes/client_of_node'
import type { StreamOptions, StreamedRecord } from '#auth/record_stream'
import {
  all,
  either,
  hasPermission,
  isClient,
  mayWriteIn,
  requireThat,
} from '#auth/verification/checks'
import { enforce, requiresAny, loggedIn, permits } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { Origin } from '#kernel/origin'
import { clock } from '#kernel/clock'
import { BadRequest, PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import { issue, type IssueItem } from '#kernel/issues'
import { isMasterMember } from '#kernel/realm'
import { normalizeLabels } from '#query/label_name'

export const LOG_ACCESS = {
  read: requiresAny('analysis_update', 'log_read'),
  create: loggedIn,
  remove: requiresAny('analysis_update', 'log_delete'),
}

const PARTICIPATES = `select 1 from analyses where id = $1 and realm_id = $2
  union all select 1 from analysis_nodes where analysis_id = $1 and node_realm_id = $2 limit 1`

const ASSIGNMENT = `select a.realm_id as "analysisRealmId", n.realm_id as "nodeRealmId",
    n.client_id as "clientId", o.id is not null as "isAssigned"
  from (select) as one
  left join analyses a on a.id = $1
  left join nodes n on n.id = $2
  left join analysis_nodes o on o.analysis_id = a.id and o.node_id = n.id`

interface AssignmentRow {
  readonly analysisRealmId: string | null
  readonly nodeRealmId: string | null
  readonly clientId: string | null
  readonly isAssigned: boolean
}

/** The logs of analyses, for the realms that participate in them. Telemetry stores the lines. */
@inject()
export class AnalysisLogService {
  readonly #pool: pg.Pool
  readonly #logs: AnalysisLogStore
  readonly #audit: SecurityAudit

  constructor(pool: CorePool, logs: AnalysisLogStore, audit: SecurityAudit) {
    this.#pool = pool
    this.#logs = logs
    this.#audit = audit
  }

  async list(actor: Actor, { analysisId, labels, page }: LogQuery) {
    enforce(LOG_ACCESS.read, actor)
    await this.#requireParticipant(actor, analysisId)
    return this.#logs.list(labels, page)
  }

  async tail(
    actor: Actor,
    { analysisId, labels }: LogQuery,
    tail: StreamOptions
  ): Promise<AsyncIterable<StreamedRecord>> {
    enforce(LOG_ACCESS.read, actor)
    await this.#requireParticipant(actor, analysisId)
    return this.#logs.tail(labels, tail)
  }

  /** Logs a line of an assigned node: for its own client, or an actor that may write in the realm of the node. */
  async create(actor: Actor, body: AnalysisNodeLogBody): Promise<NewLogLine> {
    enforce(LOG_ACCESS.create, actor)
    const { nodeRealmId, clientId, isAssigned } = await this.#findAssignment(body)
    const mayWrite = either(hasPermission('analysis_update'), hasPermission('log_create'))
    requireThat(actor, either(isClient(clientId), all(mayWriteIn(nodeRealmId), mayWrite)))
    await requireOwnNode(this.#pool, actor, body.nodeId)
    requireAssigned(isAssigned)
    const line = lineOf(body)
    await this.#logs.write(line)
    return line
  }

  /** The audit trail records a removal before it begins. */
  async remove(origin: Origin, kind: string, { analysisId, labels }: LogQuery): Promise<void> {
    enforce(LOG_ACCESS.remove, origin.actor)
    await this.#requireParticipant(origin.actor, analysisId)
    await this.#audit.logsDeleted(origin, kind, JSON.stringify(labels))
    await this.#logs.remove(labels)
  }

  /** Whether the actor may read the logs of an analysis. */
  async mayRead(actor: Actor, analysisId: string): Promise<boolean> {
    return permits(LOG_ACCESS.read, actor) && (await this.#isParticipant(actor, analysisId))
  }

  /** Logs outlive their analysis; then only the master realm may read them. */
  async #requireParticipant(actor: Actor, analysisId: string): Promise<void> {
    if (!(await this.#isParticipant(actor, analysisId))) {
      throw new PermissionDenied('The realm of the caller does not participate in the analysis')
    }
  }

  async #isParticipant(actor: Actor, analysisId: string): Promise<boolean> {
    if (isMasterMember(actor)) {
      return true
    }
    const isPossible = isUuid(analysisId) && actor.realmId !== null && isUuid(actor.realmId)
    const result = isPossible && (await this.#pool.query(PARTICIPATES, [analysisId, actor.realmId]))
    return Boolean(result && result.rowCount)
  }

  async #findAssignment(body: AnalysisNodeLogBody): Promise<AssignmentRow> {
    const { rows } = await this.#pool.query<AssignmentRow>(ASSIGNMENT, [
      body.analysisId,
      body.nodeId,
    ])
    const assignment = rows[0]!
    const issues = [
      ...(assignment.nodeRealmId === null ? [invalid('nodeId', 'The node does not exist')] : []),
      ...(assignment.analysisRealmId === null
        ? [invalid('analysisId', 'The analysis does not exist')]
        : []),
      ...findInvalidRealms(body, assignment),
    ]
    if (issues.length > 0) {
      throw new BadRequest('The body refers to records that do not exist or do not match', {
        issues,
      })
    }
    return assignment
  }
}

function requireAssigned(isAssigned: boolean): void {
  if (!isAssigned) {
    const message = 'The node is not assigned to the analysis'
    throw new BadRequest(message, { issues: [invalid('nodeId', message)] })
  }
}

function lineOf({
  analysisId,
  nodeId,
  level = 'info',
  status,
  code,
  message = status ?? code ?? '-',
  labels,
}: AnalysisNodeLogBody): NewLogLine {
  return {
    time: new Date(clock.now()).toISOString(),
    message,
    level,
    service: 'hub-server-core',
    channel: 'http',
    labels: {
      ...normalizeLabels(labels ?? {}),
      refType: 'analysisNode',
      analysisId,
      nodeId,
      ...(code && { code }),
      ...(status && { status }),
    },
  }
}

function findInvalidRealms(sentBody: AnalysisNodeLogBody, assignment: AssignmentRow): IssueItem[] {
  return (['nodeRealmId', 'analysisRealmId'] as const)
    .filter(
      (name) =>
        sentBody[name] && assignment[name] && sentBody[name].toLowerCase() !== assignment[name]
    )
    .map((name) =>
      invalid(
        name,
        'The realm does not match the record: leave it out, or send the realm of the record'
      )
    )
}

function invalid(name: string, message: string): IssueItem {
  return issue('value_invalid', [name], message)
}
