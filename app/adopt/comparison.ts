import { createHash } from 'node:crypto'

import type pg from 'pg'

import { isUuid } from '#kernel/is_uuid'
import { inTransaction } from '#records/transaction'
import { Findings, type Finding } from './findings.js'
import type { FormerDatabase, Texts } from '#adopt/former/former_database'
import type { Progress } from './progress.js'
import type { OurRow } from '#adopt/rows/our_rows'
import type { LeftOut } from './left_out.js'
import { isMisfit, type Misfit, type Row } from '#adopt/rows/row_reader'
import { Stepper } from './stepper.js'
import type { Table } from './table.js'
import { whyNotHere } from './why_not_here.js'

/** A table, compared row by row. */
export interface Compared {
  readonly service: string
  readonly table: string
  /** Rows there that are to be taken. */
  readonly there: number
  /** Rows here that came from there, or are the same. */
  readonly here: number
  readonly equal: number
  /** Over all rows of one side, in the order of their ids. */
  readonly checksums: { readonly there: string; readonly here: string }
  /** Rows that were taken, and were changed or removed here since. */
  readonly movedOn: number
  /** Rows that were taken, and are gone at their source: they stay, unless they are to follow. */
  readonly goneThere: readonly Finding[]
  /** Rows that would be taken, where nothing was taken yet. */
  readonly toCome: number
  /** Rows that the findings name. */
  readonly named: number
  readonly findings: readonly Finding[]
}

interface ComparingOptions {
  readonly former: FormerDatabase
  readonly pool: pg.Pool
  readonly signal: AbortSignal
  readonly progress: Progress
  readonly now: string
  /** Set in a dry run, where rows that are not here yet are no finding. */
  readonly dryRun?: DryRun | undefined
}

/** What a dry run knows of the rows that would not come. */
export interface DryRun {
  /** Of this table, by their ids, and why. */
  readonly broken: ReadonlyMap<string, string>
  /** Of all tables. */
  readonly leftOut: LeftOut
}

const ASKED_AT_ONCE = 500

/**
 * Compares a table as it is there with what is here of it, in one walk over both; undefined where it was asked to stop.
 */
export async function compareTable(
  table: Table,
  options: ComparingOptions
): Promise<Compared | undefined> {
  return new Comparison(table, options).run()
}

class Comparison {
  readonly #table: Table
  readonly #options: ComparingOptions
  readonly #findings = new Findings()
  readonly #there = createHash('sha256')
  readonly #here = createHash('sha256')
  readonly #goneThere = new Findings()
  readonly #count = { there: 0, here: 0, equal: 0, movedOn: 0, toCome: 0, named: 0 }
  #notHere: Row[] = []
  #toFollow: string[] = []

  constructor(table: Table, options: ComparingOptions) {
    this.#table = table
    this.#options = options
  }

  async run(): Promise<Compared | undefined> {
    const { transfer, readable, ourRows } = this.#table
    const { former, pool, now, signal, progress } = this.#options
    const reading = { table: transfer.table, columns: readable, order: ['id'] }
    const theirs = new Stepper(former.read({ ...reading, where: transfer.where?.(now) }))
    const ours = new Stepper(ourRows.all(pool))
    try {
      let [their, our] = [await theirs.next(), await ours.next()]
      while (their || our) {
        if (signal.aborted) {
          return undefined
        }
        const order = orderOf(their, our)
        if (order <= 0) {
          await this.#meet(their!, order === 0 ? our : undefined)
          progress.add(1)
          their = theirs.nextHeld() ?? (await theirs.next())
        } else {
          await this.#meetOnlyHere(our!)
        }
        if (order >= 0) {
          our = ours.nextHeld() ?? (await ours.next())
        }
      }
      await this.#askWhy()
      await this.#follow()
    } finally {
      await theirs.close()
      await ours.close()
    }
    return {
      service: transfer.service,
      table: transfer.table,
      ...this.#count,
      checksums: { there: this.#there.digest('hex'), here: this.#here.digest('hex') },
      goneThere: this.#goneThere.all,
      findings: this.#findings.all,
    }
  }

  async #meet(texts: Texts, our: OurRow | undefined): Promise<void> {
    const row = this.#table.theirs.read(texts)
    this.#count.there++
    if (isMisfit(row)) {
      return this.#findMisfit(row, our)
    }
    this.#there.update(row.line)
    if (our) {
      return this.#compare(row, our)
    }
    this.#notHere.push(row)
    if (this.#notHere.length >= ASKED_AT_ONCE) {
      await this.#askWhy()
    }
  }

  #compare(row: Row, our: OurRow): void {
    const read = this.#table.ours.read(our.texts)
    this.#count.here++
    this.#here.update(isMisfit(read) ? JSON.stringify(our.texts) : read.line)
    if (!isMisfit(read) && read.line === row.line) {
      this.#count.equal++
    } else if (our.takenDigest === row.digest) {
      this.#count.movedOn++
    } else if (our.takenDigest === null) {
      this.#name(row.id, 'another record has this id here, and is left as it is')
    } else if (isMisfit(read) || read.digest !== our.takenDigest) {
      this.#name(row.id, 'changed there and here since it was taken')
    } else if (this.#options.dryRun) {
      this.#count.toCome++
    } else {
      this.#name(row.id, 'changed there, and does not fit any more')
    }
  }

  #findMisfit({ id, reasons }: Misfit, our: OurRow | undefined): void {
    this.#there.update(id)
    this.#name(id, ...reasons)
    if (!our) {
      this.#leaveOut(id.toLowerCase())
    }
  }

  #name(id: string, ...problems: readonly string[]): void {
    this.#count.named++
    problems.forEach((problem) => this.#findings.add(problem, id))
  }

  #leaveOut(id: string): void {
    this.#options.dryRun?.leftOut.add(this.#table.transfer.table, id)
  }

  async #meetOnlyHere({ texts, takenDigest }: OurRow): Promise<void> {
    if (takenDigest === null) {
      return
    }
    const isFollowed = this.#table.transfer.gone !== undefined && !this.#options.dryRun
    this.#goneThere.add(isFollowed ? 'gone here as well now' : 'left here', texts.id!)
    if (isFollowed && this.#toFollow.push(texts.id!) >= ASKED_AT_ONCE) {
      await this.#follow()
    }
  }

  async #follow(): Promise<void> {
    const ids = this.#toFollow
    this.#toFollow = []
    const { gone } = this.#table.transfer
    if (gone && ids.length > 0) {
      await inTransaction(this.#options.pool, (transaction) => gone(transaction, ids))
    }
  }

  async #askWhy(): Promise<void> {
    const rows = this.#notHere
    this.#notHere = []
    if (rows.length === 0) {
      return
    }
    const { pool, dryRun } = this.#options
    const reasons = await whyNotHere(this.#table, pool, rows, dryRun?.leftOut)
    for (const { id } of rows) {
      const reason = reasons.get(id) ?? dryRun?.broken.get(id)
      if (reason === 'moved on') {
        this.#count.movedOn++
      } else if (reason !== undefined) {
        this.#name(id, reason)
        this.#leaveOut(id)
      } else if (dryRun) {
        this.#count.toCome++
      } else {
        this.#name(id, 'came after it was its turn; run this once more')
      }
    }
  }
}

/** Ids that are none are only there. */
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
