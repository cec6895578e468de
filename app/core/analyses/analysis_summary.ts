import type pg from 'pg'

import type { Origin } from '#kernel/origin'
import { hasChanges } from '#records/record_change'
import type { RecordServiceOptions } from '#records/record_service'
import type { RowValues } from '#records/record_store'
import { RecordWrites } from '#records/record_writes'

import { analysis, type Analysis } from './analysis.js'

/** Writes the summary columns of analyses, which are derived from their nodes and files. */
export class AnalysisSummary extends RecordWrites<typeof Analysis> {
  constructor(options: RecordServiceOptions) {
    super(analysis, options)
  }

  /** Does nothing if the summary did not change or the analysis was deleted. */
  async update(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    summary: RowValues<typeof Analysis>
  ): Promise<void> {
    const current = await this.store.lock(transaction, id)
    if (current && hasChanges(current, summary)) {
      await this.change(transaction, origin, current, summary)
    }
  }
}
