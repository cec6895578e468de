import type pg from 'pg'

import type { SurfaceName } from '#configuration/surfaces'
import type { Purpose } from '#records/sealing'
import type { JsonForm } from '#adopt/rows/read_json'

/** The services of the former platform. Each has its own database. */
export const SERVICES = [
  'core',
  'storage',
  'telemetry',
  'messenger',
] as const satisfies SurfaceName[]

export type Service = (typeof SERVICES)[number]

/** A value in the common form of both sides: times in UTC with milliseconds, lower-case IDs, bigints as text. */
export type Value = string | number | boolean | null

/** A row by column name. */
export type Values = Readonly<Record<string, Value>>

/** Maps a table of the former platform to ours. Names, types and lengths are those of our table. */
export interface Transfer {
  readonly service: Service
  readonly table: string
  /** Copied and compared. */
  readonly columns: readonly string[]
  /** Copied on insert; the platform maintains them afterwards. */
  readonly derived?: readonly string[]
  /** SQL for required columns that the source does not have. `g` is the source row. */
  readonly computed?: Readonly<Record<string, string>>
  /** Sort columns. */
  readonly order?: readonly string[]
  /** Filter on source rows; all if left out. Called with the current time in the format of the source. */
  readonly where?: (now: string) => string
  /** Allowed values of enum columns. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  readonly secrets?: Readonly<Record<string, Purpose>>
  /** Text columns with JSON. */
  readonly json?: Readonly<Record<string, JsonForm>>
  /** Converts values in place. */
  readonly convert?: (values: Record<string, Value>) => void
  /** Rejects a row for a reason that no single column shows. */
  readonly problemWith?: (values: Values) => string | undefined
  /** Rows are immutable, so a row that differs is not from the source. */
  readonly isFixed?: boolean
  /** Called in the transaction that inserts the rows. */
  readonly afterInsert?: (transaction: pg.ClientBase, rows: readonly Values[]) => Promise<void>
  /** Rows that were deleted at the source stay in any case. */
  readonly isKept?: boolean
  /** Removes rows that were deleted at the source, in every run. If left out, the last run removes those unchanged here. */
  readonly removeDeleted?: (transaction: pg.ClientBase, ids: readonly string[]) => Promise<void>
}
