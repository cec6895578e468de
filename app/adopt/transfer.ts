import type pg from 'pg'

import type { SurfaceName } from '#configuration/surfaces'
import type { Purpose } from '#records/sealing'
import type { JsonForm } from '#adopt/rows/read_json'

/** The services of the former platform, each of which has a database. */
export const SERVICES = [
  'core',
  'storage',
  'telemetry',
  'messenger',
] as const satisfies SurfaceName[]

export type Service = (typeof SERVICES)[number]

/** A value in the one form in which both sides are compared: times in UTC to the millisecond, ids in lower case, large numbers as text. */
export type Value = string | number | boolean | null

/** A row by the names of its columns. */
export type Values = Readonly<Record<string, Value>>

/** A table of the former platform and how it becomes one of ours. Names, types and lengths are those of our table. */
export interface Transfer {
  readonly service: Service
  readonly table: string
  /** Taken as they are and compared. */
  readonly columns: readonly string[]
  /** Taken at first and kept up to date by the platform itself from then on. */
  readonly derived?: readonly string[]
  /** What our table has to have and theirs does not know, in SQL that finds the row that is taken as `g`. */
  readonly computed?: Readonly<Record<string, string>>
  /** In which order rows are read. */
  readonly order?: readonly string[]
  /** Which of their rows are taken; all where nothing is said. It is told what time it is, as their columns have it. */
  readonly where?: (now: string) => string
  /** Columns that hold nothing but these. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  readonly secrets?: Readonly<Record<string, Purpose>>
  /** Texts that hold JSON, and of what form. */
  readonly json?: Readonly<Record<string, JsonForm>>
  /** What is stored in another form here. */
  readonly convert?: (values: Record<string, Value>) => void
  /** What is wrong with a row that no single column shows. */
  readonly problemWith?: (values: Values) => string | undefined
  /** Rows that never change, so that one which differs is not theirs. */
  readonly isFixed?: boolean
  /** What else is written where rows were taken. */
  readonly afterInsert?: (transaction: pg.ClientBase, rows: readonly Values[]) => Promise<void>
  /** What is done with rows that were taken and are gone there; they stay where nothing is said. */
  readonly removeDeleted?: (transaction: pg.ClientBase, ids: readonly string[]) => Promise<void>
}
