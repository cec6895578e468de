import { ask } from '#doctor/asking'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import type { Database } from '#doctor/surroundings'
import { clock } from '#kernel/clock'

const DATABASE_MS = 2_000
/** A header of HTTP has no parts of a second. */
const PROVIDER_MS = 5_000

/** Whether this machine has the same time as those that it compares times with. */
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

async function compareWithDatabase({ pool, name }: Database): Promise<Finding[]> {
  await pool.query('select 1')
  const asked = clock.now()
  const { rows } = await pool.query<{ now: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now'
  )
  const ahead = leadOf(rows[0]!.now, asked)
  return Math.abs(ahead) > DATABASE_MS
    ? [finding('CLOCK_OF_DATABASE', said(`that of ${name}`, ahead))]
    : []
}

/** That it is away is for the check of the provider to say. */
async function compareWithProvider(url: string): Promise<Finding[]> {
  const asked = clock.now()
  const date = await ask(url).then(
    async ({ headers, body }) => {
      await body?.cancel()
      return Date.parse(headers.get('date') ?? '')
    },
    () => Number.NaN
  )
  const ahead = leadOf(date, asked)
  return Math.abs(ahead) > PROVIDER_MS ? [finding('CLOCK_OF_PROVIDER', said('it', ahead))] : []
}

/** How much another clock is ahead of ours: nothing where it may have been asked at that time. */
function leadOf(theirs: number, asked: number): number {
  const answered = clock.now()
  return theirs < asked ? theirs - asked : Math.max(0, theirs - answered)
}

const said = (whose: string, ahead: number) =>
  `${whose} is ${Math.abs(Math.round(ahead / 100) / 10)} s ${ahead < 0 ? 'behind' : 'ahead'}`
