export type Texts = Readonly<Record<string, string | null>>

/** What is read of a table of the former platform. */
export interface ReadRequest {
  readonly table: string
  readonly columns: readonly string[]
  /** Rows are read in the order of these, which end with the id. */
  readonly order: readonly string[]
  /** What the last row that was read had in those; from the beginning where nothing is said. */
  readonly after?: readonly string[] | undefined
  readonly where?: string | undefined
}

/**
 * A database of the former platform, as it was when it was opened: nothing is written there. All values are texts, as that database
 * writes them.
 */
export interface FormerDatabase {
  /** Which columns a table has; none where there is no such table. */
  columnsOf(table: string): Promise<readonly string[]>
  count(table: string, where?: string): Promise<number>
  /** A portion at a time, so that any number takes the same memory. */
  read(reading: ReadRequest): AsyncIterable<readonly Texts[]>
  /** The first column of what a query finds. */
  texts(query: string): Promise<string[]>
  close(): Promise<void>
}

/** How many rows are read, and written, at once. */
export const PORTION = 2_000
