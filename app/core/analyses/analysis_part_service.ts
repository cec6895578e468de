import type pg from 'pg'

import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { isUuid } from '#kernel/is_uuid'
import { EntityNotFound } from '#kernel/failures'
import { decode } from '#query/decode'
import { columnOf } from '#query/sql/identifiers'
import type { Origin } from '#kernel/origin'
import type { Kind, Values } from '#records/kind'
import type { Written } from '#records/record_store'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

/** What was to be created is there already: the one who asks again is answered as before. */
class AlreadyThere extends Error {
  constructor(readonly id: string) {
    super('The record is there already')
  }
}

/** A part of an analysis and the analysis itself, both held. */
export interface HeldPart {
  readonly analysis: Values
  readonly part: Values
}

/**
 * Records that are part of an analysis. Whoever writes one holds the analysis first: what the analysis tells of its parts is
 * made of all of them, and two writers never wait for each other.
 */
export abstract class AnalysisPartService extends RecordService {
  protected readonly upkeep: AnalysisUpkeep

  constructor(kind: Kind, options: RecordServiceOptions) {
    super(kind, options)
    this.upkeep = new AnalysisUpkeep(options)
  }

  override async create(origin: Origin, body: Values): Promise<string> {
    try {
      return await super.create(origin, body)
    } catch (error) {
      if (error instanceof AlreadyThere) {
        const { selection } = decode(this.kind.declaration, '', 'record')
        return this.read(origin, error.id, selection)
      }
      throw error
    }
  }

  /** The analysis of a part that is about to be created, held from now on. */
  protected async lockAnalysis(transaction: pg.ClientBase, id: unknown): Promise<Values> {
    const analysis = await this.upkeep.lock(transaction, id as string)
    if (!analysis) {
      throw new EntityNotFound('analysis')
    }
    return analysis
  }

  /** Ends a creation whose record is there already, with the same values in these columns; it is answered instead. */
  protected async answerExisting(
    transaction: pg.ClientBase,
    values: Values,
    columns: readonly string[]
  ): Promise<void> {
    const conditions = columns.map(
      (name, index) => `${columnOf(name, this.kind.columns[name]!)} = $${index + 1}`
    )
    const { rows } = await transaction.query<{ id: string }>(
      `select id from ${this.kind.table} where ${conditions.join(' and ')}`,
      columns.map((name) => values[name])
    )
    if (rows[0]) {
      throw new AlreadyThere(rows[0].id)
    }
  }

  /** Changes a part in one transaction, which holds its analysis and it. */
  protected async change(
    id: string,
    work: (transaction: pg.ClientBase, held: HeldPart) => Promise<Written>
  ): Promise<string> {
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const analysis = await this.#lockAnalysisOf(transaction, id)
      const part = analysis && (await this.store.lock(transaction, id))
      if (!part) {
        throw new EntityNotFound(this.kind.label)
      }
      return work(transaction, { analysis, part })
    })
    return data
  }

  async #lockAnalysisOf(transaction: pg.ClientBase, id: string): Promise<Values | undefined> {
    if (!isUuid(id)) {
      return undefined
    }
    const { rows } = await transaction.query<{ analysis_id: string }>(
      `select analysis_id from ${this.kind.table} where id = $1`,
      [id]
    )
    return rows[0] && this.upkeep.lock(transaction, rows[0].analysis_id)
  }
}
