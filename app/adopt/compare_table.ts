import { createHash } from 'node:crypto'

import type pg from 'pg'

import { isUuid } from '#kernel/is_uuid'
import { inTransaction } from '#records/transaction'
import { Findings, type Finding, type Recorder } from './findings.js'
import type { FormerDatabase, Texts } from '#adopt/former/former_database'
import type { ProgressReporter } from './progress_reporter.js'
import type { OurRow } from '#adopt/rows/our_rows'
import type { SkippedRows } from './skipped_rows.js'
import { isMismatch, type RowMismatch, type ValidRow } from '#adopt/rows/row_reader'
import { RowCursor } from './row_cursor.js'
import type { Table } from './table.js'
import { explainMissingRows } from './explain_missing_rows.js'

/** The result of comparing a table row by row. */
export interface TableComparison {
  readonly service: string
  readonly table: string
  /** Source rows to take. */
  readonly there: number
  /** Rows here that were copied or are equal. */
  readonly here: number
  readonly equal: number
  /** Over all rows of a side, ordered by ID. */
  readonly checksums: { readonly there: string; readonly here: string }
  /** Rows that were changed or removed here after they were copied. */
  readonly changedHere: number
  /** Rows that were copied and then removed at the source. */
  readonly removedAtSource: readonly Finding[]
  /** Those of them that are unchanged here, which the last run removes. */
  readonly removable: readonly string[]
  /** Rows that were added or changed at the source during this run, and are here now. */
  readonly caughtUp: number
  /** Rows that the next run would take. */
  readonly toCome: number
  /** Rows named in findings. */
  readonly named: number
  readonly findings: readonly Finding[]
}

interface ComparisonOptions {
  readonly former: FormerDatabase
  readonly pool: pg.Pool
  readonly signal: AbortSignal
  readonly progress: ProgressReporter
  readonly now: string
  /** Takes every row that is named. */
  readonly record?: Recorder
  /** Set in the last run, after which nothing that was removed at the source may be left unnoticed. */
  readonly deletions?: 'remove' | 'keep' | undefined
  /** Set in a dry run, where missing rows are not reported. */
  readonly dryRun?: DryRun | undefined
}

/** The rows that a dry run found to be skipped. */
interface DryRun {
  /** Reasons by row ID, for this table. */
  readonly broken: ReadonlyMap<string, string>
  /** Of all tables. */
  readonly skippedRows: SkippedRows
}

const BATCH_ROWS = 500

/** Reported by the last run, which neither removes nor silently keeps such a row. */
const CHANGED_AND_DELETED =
  'was removed in the source, but changed here since: remove it here, or pass --keep-deleted'

/** Compares a table with its source in one merge over both, ordered by ID. Returns undefined if interrupted. */
export async function compareTable(
  table: Table,
  options: ComparisonOptions
): Promise<TableComparison | undefined> {
  return new Comparison(table, options).run()
}

class Comparison {
  readonly #table: Table
  readonly #options: ComparisonOptions
  readonly #findings: Findings
  readonly #there = createHash('sha256')
  readonly #here = createHash('sha256')
  readonly #removedAtSource: Findings
  readonly #removable: string[] = []
  readonly #count = {
    there: 0,
    here: 0,
    equal: 0,
    changedHere: 0,
    toCome: 0,
    named: 0,
    caughtUp: 0,
  }
  #missing: ValidRow[] = []
  #toRemove: string[] = []

  constructor(table: Table, options: ComparisonOptions) {
    this.#table = table
    this.#options = options
    const { record } = options
    this.#findings = new Findings(record)
    this.#removedAtSource = new Findings(
      record && ((problem, id) => record(`removed in the source, ${problem}`, id))
    )
  }

  async run(): Promise<TableComparison | undefined> {
    const { transfer, readable, ourRows } = this.#table
    const { former, pool, now, signal, progress } = this.#options
    const reading = { table: transfer.table, columns: readable, order: ['id'] }
    const theirs = new RowCursor(former.read({ ...reading, where: transfer.where?.(now) }))
    const ours = new RowCursor(ourRows.all(pool))
    try {
      let [their, our] = [await theirs.next(), await ours.next()]
      while (their || our) {
        if (signal.aborted) {
          return undefined
        }
        const order = orderOf(their, our)
        if (order <= 0) {
          await this.#visitTheirs(their!, order === 0 ? our : undefined)
          progress.add(1)
          their = theirs.nextBuffered() ?? (await theirs.next())
        } else {
          this.#visitOnlyOurs(our!)
          await this.#removeDeletedBatch()
        }
        if (order >= 0) {
          our = ours.nextBuffered() ?? (await ours.next())
        }
      }
      await this.#explainMissing()
      await this.#removeDeleted()
    } finally {
      await theirs.close()
      await ours.close()
    }
    return {
      service: transfer.service,
      table: transfer.table,
      ...this.#count,
      checksums: { there: this.#there.digest('hex'), here: this.#here.digest('hex') },
      removedAtSource: this.#removedAtSource.all,
      removable: this.#removable,
      findings: this.#findings.all,
    }
  }

  async #visitTheirs(texts: Texts, our: OurRow | undefined): Promise<void> {
    const row = this.#table.theirs.read(texts)
    this.#count.there++
    if (isMismatch(row)) {
      return this.#recordMismatch(row, our)
    }
    this.#there.update(row.line)
    if (our) {
      return this.#compare(row, our)
    }
    this.#missing.push(row)
    if (this.#missing.length >= BATCH_ROWS) {
      await this.#explainMissing()
    }
  }

  async #compare(row: ValidRow, our: OurRow): Promise<void> {
    const read = this.#table.ours.read(our.texts)
    const isEqual = !isMismatch(read) && read.line === row.line
    const isUnchanged = !isMismatch(read) && read.digest === our.takenDigest
    const follows = !isEqual && isUnchanged && our.takenDigest !== row.digest
    const isCaughtUp = follows && !this.#options.dryRun && (await this.#catchUp([row]))
    this.#count.here++
    this.#here.update(
      isEqual || isCaughtUp ? row.line : isMismatch(read) ? JSON.stringify(our.texts) : read.line
    )
    if (isEqual || isCaughtUp) {
      this.#count.equal++
    } else if (our.takenDigest === row.digest) {
      this.#count.changedHere++
    } else if (our.takenDigest === null) {
      this.#addFinding(row.id, 'another record here has this id and is left unchanged')
    } else if (!follows) {
      this.#addFinding(row.id, 'changed in the source and here since it was migrated')
    } else if (this.#options.dryRun) {
      this.#count.toCome++
    } else {
      this.#addFinding(row.id, 'changed in the source and is no longer valid here')
    }
  }

  /** Copies rows that were added to the source after their table was copied. Returns whether all of them could be. */
  async #catchUp(rows: readonly ValidRow[]): Promise<boolean> {
    const { writer } = this.#table
    const { taken, updated } = await inTransaction(this.#options.pool, (transaction) =>
      writer.write(transaction, rows)
    )
    this.#count.caughtUp += taken + updated
    return taken + updated === rows.length
  }

  #recordMismatch({ id, reasons }: RowMismatch, our: OurRow | undefined): void {
    this.#there.update(id)
    this.#addFinding(id, ...reasons)
    if (!our) {
      this.#skipDependents(id.toLowerCase())
    }
  }

  #addFinding(id: string, ...problems: readonly string[]): void {
    this.#count.named++
    problems.forEach((problem) => this.#findings.add(problem, id))
  }

  #skipDependents(id: string): void {
    this.#options.dryRun?.skippedRows.add(this.#table.transfer.table, id)
  }

  #visitOnlyOurs(our: OurRow): void {
    const id = our.texts.id!
    const { transfer } = this.#table
    if (our.takenDigest === null) {
      return
    }
    if (transfer.removeDeleted !== undefined && !this.#options.dryRun) {
      this.#removedAtSource.add('removed here as well', id)
      this.#toRemove.push(id)
    } else if (transfer.isKept || this.#options.deletions === 'keep') {
      this.#removedAtSource.add('kept here', id)
    } else {
      this.#visitDeleted(our)
    }
  }

  #visitDeleted(our: OurRow): void {
    const id = our.texts.id!
    const isLast = this.#options.deletions === 'remove'
    const read = this.#table.ours.read(our.texts)
    if (!isMismatch(read) && read.digest === our.takenDigest) {
      this.#removable.push(id)
      if (!isLast) {
        this.#removedAtSource.add('removed here by --last', id)
      }
    } else if (isLast) {
      this.#findings.add(CHANGED_AND_DELETED, id)
    } else {
      this.#removedAtSource.add('but changed here since', id)
    }
  }

  async #removeDeletedBatch(): Promise<void> {
    if (this.#toRemove.length >= BATCH_ROWS) {
      await this.#removeDeleted()
    }
  }

  async #removeDeleted(): Promise<void> {
    const ids = this.#toRemove
    this.#toRemove = []
    const { removeDeleted } = this.#table.transfer
    if (removeDeleted && ids.length > 0) {
      await inTransaction(this.#options.pool, (transaction) => removeDeleted(transaction, ids))
    }
  }

  async #explainMissing(): Promise<void> {
    const rows = this.#missing
    this.#missing = []
    if (rows.length === 0) {
      return
    }
    const { pool, dryRun } = this.#options
    const reasons = await explainMissingRows(this.#table, pool, rows, dryRun?.skippedRows)
    const added = dryRun ? [] : rows.filter(({ id }) => !reasons.has(id))
    if (added.length > 0 && (await this.#catchUp(added))) {
      added.forEach(({ id }) => reasons.set(id, 'caught up'))
      this.#count.here += added.length
      this.#count.equal += added.length
    }
    for (const { id } of rows) {
      const reason = reasons.get(id) ?? dryRun?.broken.get(id)
      if (reason === 'changed here') {
        this.#count.changedHere++
      } else if (reason === 'caught up') {
        continue
      } else if (reason !== undefined) {
        this.#addFinding(id, reason)
        this.#skipDependents(id)
      } else if (dryRun) {
        this.#count.toCome++
      } else {
        this.#addFinding(id, 'was added during the run: run the command again')
      }
    }
  }
}

/** Invalid IDs exist at the source only. */
function orderOf(their: Texts | undefined, our: OurRow | undefined): number {
  if (!their || !our) {
    return their ? -1 : 1
  }
  const id = their.id!.toLowerCase()
  const ourId = our.texts.id!
  if (id === ourId) {
    return 0
  }
  return !isUuid(id) || id < ourId ? -1 : 1
}
