import type pg from 'pg'

import { derivedId } from '#bus/derived_id'
import { COMMAND_QUEUES } from '#bus/names'
import type { AnalysisNode } from '#core/analysis_nodes/analysis_node'
import type { Origin } from '#kernel/origin'
import type { RecordServiceOptions } from '#records/record_service'
import { RecordWrites } from '#records/record_writes'
import type { Row } from '#records/row'
import { analysisNodeEvent, type AnalysisNodeEvent } from './analysis_node_event.js'

/** The history of assignments, whose entries refer to events of the audit trail. */
export class AnalysisNodeEvents extends RecordWrites<typeof AnalysisNodeEvent> {
  constructor(options: RecordServiceOptions) {
    super(analysisNodeEvent, options)
  }

  /** The audit trail derives the ids of its events from the ids of messages. */
  async addEvent(
    transaction: pg.ClientBase,
    origin: Origin,
    { analysisId, analysisRealmId, nodeId, nodeRealmId }: Row<typeof AnalysisNode>,
    messageId: string
  ): Promise<void> {
    const eventId = derivedId(COMMAND_QUEUES.telemetryEvent, { id: messageId })
    const reference = { analysisId, analysisRealmId, nodeId, nodeRealmId }
    await this.insert(transaction, origin, { ...reference, eventId })
  }
}
