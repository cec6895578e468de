import { sendRequest } from '#doctor/send_request'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import type { Database } from '#doctor/check_context'
import { withEachHost, type ConnectedHost } from '#doctor/each_host'
import { clock } from '#kernel/clock'

const DATABASE_MS = 2_000
/** HTTP dates have a resolution of one second. */
const PROVIDER_MS = 5_000

/** Checks that the clock agrees with those of all hosts of the databases and of the provider. */
export const clockCheck: Check = {
  name: 'clock',
  async run({ databases, env }) {
    if (databases.length === 0 && !env.IDENTITY_URL) {
      return NOT_USED
    }
    const found = await Promise.all([
      ...databases.map((database) => compareWithDatabase(database)),
      ...(env.IDENTITY_URL ? [compareWithProvider(env.IDENTITY_URL)] : []),
    ])
    return found.flat()
  },
}

/** The check of the hosts reports those that are unavailable. */
const compareWithDatabase = (database: Database): Promise<Finding[]> =>
  withEachHost(database, async (hosts) => {
    const found = await Promise.all(hosts.map(compareWithHost))
    return found.flat()
  })

async function compareWithHost({ client, name }: ConnectedHost): Promise<Finding[]> {
  const requestedAt = clock.now()
  const { rows } = await client.query<{ now: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now'
  )
  const offsetMs = clockOffset(rows[0]!.now, requestedAt)
  return Math.abs(offsetMs) > DATABASE_MS
    ? [finding('CLOCK_OF_DATABASE', describeOffset(`that of ${name}`, offsetMs))]
    : []
}

/** The provider check reports an unavailable provider. */
async function compareWithProvider(url: string): Promise<Finding[]> {
  const requestedAt = clock.now()
  const date = await sendRequest(url).then(
    async ({ headers, body }) => {
      await body?.cancel()
      return Date.parse(headers.get('date') ?? '')
    },
    () => Number.NaN
  )
  const offsetMs = clockOffset(date, requestedAt)
  return Math.abs(offsetMs) > PROVIDER_MS
    ? [finding('CLOCK_OF_PROVIDER', describeOffset('it', offsetMs))]
    : []
}

/** The offset of another clock: zero if its time lies between the request and the response. */
function clockOffset(theirs: number, requestedAt: number): number {
  const answeredAt = clock.now()
  return theirs < requestedAt ? theirs - requestedAt : Math.max(0, theirs - answeredAt)
}

const describeOffset = (subject: string, offsetMs: number) =>
  `${subject} is ${Math.abs(Math.round(offsetMs / 100) / 10)} s ${offsetMs < 0 ? 'behind' : 'ahead'}`
