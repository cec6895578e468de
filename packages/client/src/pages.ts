export interface Page<T> {
  readonly data: readonly T[]
  /** Lists without pages have none. */
  readonly meta?: { readonly total?: number }
}

export interface PagesOptions {
  readonly pageSize?: number
  /** The most records of all pages. */
  readonly limit?: number
  /** The maximum number of records; a longer list is an error. */
  readonly mostRecords?: number
}

/** A list has more records than its reader accepts. */
export class ListTooLong extends Error {
  constructor(readonly mostRecords: number) {
    super(`The list has more than ${mostRecords} records.`)
  }
}

/** The largest page of the interface. */
export const PAGE_SIZE = 50

/** A list that is longer has no end, or is for no reader. */
const MOST_RECORDS = 1_000_000

/** Yields the pages of a list. Stops if a page repeats the one before, since not every list has pages. */
export async function* pagesOf<T, P extends Page<T>>(
  read: (offset: number, size: number) => Promise<P>,
  { pageSize = PAGE_SIZE, limit = Infinity, mostRecords = MOST_RECORDS }: PagesOptions = {}
): AsyncGenerator<P> {
  let previous = new Set<string>()
  for (let offset = 0; offset < limit;) {
    const size = Math.min(pageSize, limit - offset)
    const page = await read(offset, size)
    const { data, meta } = page
    const records = data.map((record) => JSON.stringify(record))
    if (offset > 0 && records.every((record) => previous.has(record))) {
      return
    }
    yield page
    previous = new Set(records)
    offset += data.length
    if (data.length === 0 || offset >= (meta?.total ?? (data.length < size ? offset : Infinity))) {
      return
    }
    if (offset >= mostRecords) {
      throw new ListTooLong(mostRecords)
    }
  }
}

/** Yields the records of a list. */
export async function* recordsOf<T>(
  read: (offset: number, size: number) => Promise<Page<T>>,
  options?: PagesOptions
): AsyncGenerator<T> {
  for await (const { data } of pagesOf<T, Page<T>>(read, options)) {
    yield* data
  }
}
