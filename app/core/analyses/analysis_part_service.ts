import type pg from 'pg'

import type { Analysis } from './analysis.js'
import type { AnalysisUpkeep } from './analysis_upkeep.js'
import { EntityNotFound } from '#kernel/failures'
import { decode } from '#query/decode'
import { statement } from '#query/sql/statement'
import { columnOf } from '#query/sql/identifiers'
import type { Origin } from '#kernel/origin'
import type { Kind } from '#records/kind'
import type { ModelClass } from '#records/model'
import type { RowValues, WrittenRecord } from '#records/record_store'
import type { ColumnName, Row } from '#records/row'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

/** A part of an analysis and the analysis itself, both locked. */
export interface LockedPart<M extends ModelClass> {
  readonly analysis: Row<typeof Analysis>
  readonly part: Row<M>
}

/** The created record, or the id of an existing one: creating a part twice returns the first record. */
export type CreateResult = Pick<WrittenRecord, 'data'> | { readonly existing: string }

/**
 * Records that are part of an analysis. A transaction that writes one locks the analysis first: the summary columns of
 * the analysis are derived from all parts, and one lock order prevents deadlocks.
 */
export abstract class AnalysisPartService<M extends ModelClass> extends RecordService<M> {
  protected readonly upkeep: AnalysisUpkeep

  constructor(kind: Kind<M>, options: RecordServiceOptions, upkeep: AnalysisUpkeep) {
    super(kind, options)
    this.upkeep = upkeep
  }

  /** Locks the analysis of a part that is about to be created. */
  protected async lockAnalysis(
    transaction: pg.ClientBase,
    id: string
  ): Promise<Row<typeof Analysis>> {
    const analysis = await this.upkeep.lock(transaction, id)
    if (!analysis) {
      throw new EntityNotFound('analysis')
    }
    return analysis
  }

  /** The id of the record with the same values in these columns, if one exists. */
  protected async findExisting(
    transaction: pg.ClientBase,
    values: RowValues<M>,
    columns: readonly ColumnName<M>[]
  ): Promise<string | undefined> {
    const conditions = columns.map(
      (name, index) => `${columnOf(name, this.kind.columns[name]!)} = $${index + 1}`
    )
    const text = `select id from ${this.kind.table} where ${conditions.join(' and ')}`
    const { rows } = await transaction.query<{ id: string }>(
      statement(
        text,
        columns.map((name) => values[name])
      )
    )
    return rows[0]?.id
  }

  protected async readCreated(origin: Origin, result: CreateResult): Promise<string> {
    if ('data' in result) {
      return result.data
    }
    const { selection } = decode(this.kind.declaration, '', 'record')
    return this.read(origin, result.existing, selection)
  }

  /** Runs `work` in a transaction that has locked the analysis and the part. */
  protected async withLockedPart(
    id: string,
    work: (transaction: pg.ClientBase, locked: LockedPart<M>) => Promise<WrittenRecord<M>>
  ): Promise<string> {
    this.requireId(id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const analysis = await this.#lockAnalysisOf(transaction, id)
      return work(transaction, { analysis, part: await this.lock(transaction, id) })
    })
    return data
  }

  /** The parts with this value in a column, one by one; locks the analysis before each part. */
  protected async *lockPartsWith(
    transaction: pg.ClientBase,
    column: ColumnName<M>,
    value: string
  ): AsyncGenerator<LockedPart<M>> {
    const { rows } = await transaction.query<{ id: string; analysis_id: string }>(
      `select id, analysis_id from ${this.kind.table}
       where ${columnOf(column, this.kind.columns[column]!)} = $1 order by analysis_id`,
      [value]
    )
    for (const { id, analysis_id: analysisId } of rows) {
      const analysis = await this.upkeep.lock(transaction, analysisId)
      const part = await this.store.lock(transaction, id)
      if (analysis && part) {
        yield { analysis, part }
      }
    }
  }

  async #lockAnalysisOf(transaction: pg.ClientBase, id: string): Promise<Row<typeof Analysis>> {
    const { rows } = await transaction.query<{ analysis_id: string }>(
      `select analysis_id from ${this.kind.table} where id = $1`,
      [id]
    )
    const analysis = rows[0] && (await this.upkeep.lock(transaction, rows[0].analysis_id))
    return analysis ?? this.missing()
  }
}
