import { allOf, logsqlOf } from './logsql.js'
import type { LineCount, VictoriaLogsServer } from './server.js'
import type { Instant } from '#telemetry/logs/instant'
import type { LogPage } from '#telemetry/logs/log_store'

const SECOND = 1_000_000_000n
const STEPS = [
  { name: '1h', size: 3_600n * SECOND },
  { name: '1m', size: 60n * SECOND },
  { name: '1s', size: SECOND },
] as const
/** The server sorts this many lines quickly. */
const MAX_SORTED = 5_000

interface NarrowedPage {
  /** The number of all matching lines. */
  readonly total: number
  /** A filter that contains the page; undefined for an empty page. */
  readonly filter: string | undefined
  /** The offset of the page within the filter. */
  readonly offset: number
}

/**
 * Narrows a query to the time range of its page. The server sorts all lines of a query before it skips the offset,
 * but counts by hours, minutes and seconds without reading lines.
 */
export async function narrowedPage(
  server: VictoriaLogsServer,
  query: string,
  page: LogPage
): Promise<NarrowedPage> {
  let [filter, offset] = [query, page.offset]
  let total: number | undefined
  for (const { name, size } of STEPS) {
    const counts = await server.countBy(filter, name)
    total ??= counts.reduce((sum, { count }) => sum + count, 0)
    const span = spanOf(ordered(counts, page), offset, page.limit)
    if (!span || total <= MAX_SORTED) {
      return { total, filter: span && filter, offset }
    }
    filter = allOf([
      query,
      logsqlOf({ kind: 'time', op: '>=', at: span.first }),
      logsqlOf({ kind: 'time', op: '<', at: span.last + size }),
    ])
    offset -= span.before
    if (span.count <= MAX_SORTED) {
      break
    }
  }
  return { total: total!, filter, offset }
}

/** The time range of a page; undefined if the page is empty. */
function spanOf(counts: readonly LineCount[], offset: number, limit: number) {
  let before = 0
  let count = 0
  const steps: Instant[] = []
  for (const step of counts) {
    if (steps.length === 0 && before + step.count <= offset) {
      before += step.count
    } else if (before + count < offset + limit) {
      steps.push(step.at)
      count += step.count
    }
  }
  const [first, last] = [steps[0], steps.at(-1)]
  if (first === undefined || last === undefined) {
    return undefined
  }
  return { before, count, first: first < last ? first : last, last: first < last ? last : first }
}

function ordered(counts: readonly LineCount[], { oldestFirst = false }: LogPage): LineCount[] {
  const sign = oldestFirst ? 1 : -1
  return counts.toSorted((one, other) => (one.at < other.at ? -sign : sign))
}
