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
/** Among so many lines the server finds a page at once. */
const MAX_SORTED = 5_000

interface NarrowedPage {
  /** Of all lines that are meant. */
  readonly total: number
  /** Lines among which the page is; undefined where the page is empty. */
  readonly filter: string | undefined
  /** Where it begins among these. */
  readonly offset: number
}

/**
 * Narrows a page to the time that its lines are of. The server sorts all lines of a query before it leaves out those before the page,
 * but counts them by hours, minutes and seconds without reading them.
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

/** The steps that have the lines of a page; undefined where none has. */
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
