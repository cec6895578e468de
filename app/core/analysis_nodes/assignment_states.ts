import type pg from 'pg'

import { AnalysisNodeEvents } from '#core/analysis_node_events/analysis_node_events'
import { newId } from '#kernel/new_id'
import type { Origin } from '#kernel/origin'
import type { RecordServiceOptions } from '#records/record_service'
import type { RowValues, WrittenRecord } from '#records/record_store'
import { RecordWrites } from '#records/record_writes'
import type { Row } from '#records/row'

import { analysisNode, type AnalysisNode } from './analysis_node.js'

const STATE = ['approvalStatus', 'executionStatus'] as const

/** Writes the decisions and execution states of nodes, and their history. */
export class AssignmentStates extends RecordWrites<typeof AnalysisNode> {
  readonly #events: AnalysisNodeEvents

  constructor(options: RecordServiceOptions) {
    super(analysisNode, options)
    this.#events = new AnalysisNodeEvents(options)
  }

  /** Changes a locked assignment, and records decisions and execution states in the history. */
  async update(
    transaction: pg.ClientBase,
    origin: Origin,
    part: Row<typeof AnalysisNode>,
    values: RowValues<typeof AnalysisNode>
  ): Promise<WrittenRecord<typeof AnalysisNode>> {
    const messageId = newId()
    const written = await this.change(transaction, origin, part, values, messageId)
    if (STATE.some((name) => part[name] !== written.values[name])) {
      await this.#events.addEvent(transaction, origin, part, messageId)
    }
    return written
  }

  /** Resets the decision of a node. The caller refreshes the analysis. */
  async withdrawDecision(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const noDecision = { approvalStatus: null, approvedDigest: null }
    await this.update(transaction, origin, await this.lock(transaction, id), noDecision)
  }
}
