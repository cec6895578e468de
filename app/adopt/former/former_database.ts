export type Texts = Readonly<Record<string, string | null>>

/** A query over a table of the former platform. */
export interface ReadRequest {
  readonly table: string
  readonly columns: readonly string[]
  /** Sort columns. The last one is the ID. */
  readonly order: readonly string[]
  /** Values of the sort columns in the last row read. Starts at the beginning if left out. */
  readonly after?: readonly string[] | undefined
  readonly where?: string | undefined
}

/** A read-only snapshot of a former database. All values are strings as that database formats them. */
export interface FormerDatabase {
  /** The columns of a table. Empty if the table does not exist. */
  columnsOf(table: string): Promise<readonly string[]>
  count(table: string, where?: string): Promise<number>
  /** Yields rows in batches, so that memory use is constant. */
  read(reading: ReadRequest): AsyncIterable<readonly Texts[]>
  /** The first column of the result. */
  texts(query: string): Promise<string[]>
  close(): Promise<void>
}

/** Rows per batch. */
export const PORTION = 2_000
