import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import { analysis, type Analysis } from './analysis.js'
import { AnalysisSummary } from './analysis_summary.js'
import { outdatedApprovals, type ContentPart } from './approved_content.js'
import { assignedNodes, summarizeNodes } from './node_summary.js'
import { coreSettings } from '#core/core_settings'
import { AssignmentStates } from '#core/analysis_nodes/assignment_states'
import { SecretReplacements } from '#core/clients/secret_replacements'
import type { Origin } from '#kernel/origin'
import { RecordStore, type RowValues } from '#records/record_store'
import type { Row } from '#records/row'

const HAS_ENTRYPOINT = `select exists (
    select 1 from analysis_bucket_files f join analysis_buckets b on b.id = f.analysis_bucket_id
    where f.analysis_id = $1 and f.root and b.type = 'CODE'
  ) as "isValid"`

const DECIDED = `select a.id from analysis_nodes a join nodes n on n.id = a.node_id
  where a.analysis_id = $1 and a.approval_status is not null and n.type <> 'aggregator'
  order by a.id`

/**
 * Keeps the summary columns of an analysis consistent with its nodes and files, within the transaction that changes
 * them. The caller has locked the analysis, so that no other transaction changes the parts meanwhile.
 */
@inject()
export class AnalysisUpkeep {
  readonly #store: RecordStore<typeof Analysis>
  readonly #summary: AnalysisSummary
  readonly #assignments: AssignmentStates
  readonly #secrets: SecretReplacements

  constructor(records: CoreRecords, secrets: SecretReplacements) {
    this.#store = new RecordStore(analysis, records.pool)
    this.#summary = new AnalysisSummary(records)
    this.#assignments = new AssignmentStates(records)
    this.#secrets = secrets
  }

  /** Locks an analysis until the transaction ends. */
  lock(transaction: pg.ClientBase, id: string): Promise<Row<typeof Analysis> | undefined> {
    return this.#store.lock(transaction, id)
  }

  /** Recomputes all summary columns. */
  async refreshAll(
    transaction: pg.ClientBase,
    origin: Origin,
    { id, masterImageId }: Row<typeof Analysis>
  ): Promise<void> {
    await this.#write(transaction, origin, id, { configurationImageValid: masterImageId !== null })
    await this.refreshNodes(transaction, origin, id)
    await this.refreshEntrypoint(transaction, origin, id)
    await this.withdrawOutdatedApprovals(transaction, origin, id, ['files'])
  }

  /** After a node was assigned, unassigned, or changed its state. */
  async refreshNodes(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    await this.#write(transaction, origin, id, summarizeNodes(await assignedNodes(transaction, id)))
  }

  /** After a file was added or removed, or became the entry point. */
  async refreshEntrypoint(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const { rows } = await transaction.query<{ isValid: boolean }>(HAS_ENTRYPOINT, [id])
    const { isValid } = rows[0]!
    await this.#write(transaction, origin, id, { configurationEntrypointValid: isValid })
  }

  /** Withdraws all approvals if files or nodes were removed from a locked analysis before its build. */
  async withdrawApprovalsAfterRemoval(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    removed: 'files' | 'nodes'
  ): Promise<void> {
    const analysisRow = await this.lock(transaction, id)
    if (analysisRow?.configurationLocked && analysisRow.buildStatus === null) {
      await this.withdrawApprovals(transaction, { ...origin, contentChanged: [removed] }, id)
    }
  }

  /** Withdraws the approvals of nodes that approved other content than the current one. */
  async withdrawOutdatedApprovals(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    contentChanged: readonly ContentPart[]
  ): Promise<void> {
    if (contentChanged.length === 0 || coreSettings().skipsAnalysisApproval) {
      return
    }
    const outdated = await outdatedApprovals(transaction, id)
    if (outdated.length > 0) {
      await this.#withdraw(transaction, { ...origin, contentChanged }, id, outdated)
    }
  }

  /** Withdraws the decisions of all nodes but aggregators, which do not decide. */
  async withdrawApprovals(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    if (coreSettings().skipsAnalysisApproval) {
      return
    }
    const { rows } = await transaction.query<{ id: string }>(DECIDED, [id])
    const decided = rows.map((row) => row.id)
    await this.#withdraw(transaction, origin, id, decided)
  }

  /** After a node lost access to the credentials of the analysis. */
  replaceSecret(transaction: pg.ClientBase, id: string): Promise<void> {
    return this.#secrets.scheduleReplacement(transaction, id)
  }

  async #withdraw(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    assignments: readonly string[]
  ): Promise<void> {
    for (const assignment of assignments) {
      await this.#assignments.withdrawDecision(transaction, origin, assignment)
    }
    await this.refreshNodes(transaction, { ...origin, contentChanged: undefined }, id)
  }

  #write(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    summary: RowValues<typeof Analysis>
  ): Promise<void> {
    return this.#summary.update(transaction, origin, id, summary)
  }
}
