import { freePort } from '#tests/services/servers/free_port'
import type { HubProcesses } from '#tests/helpers/hub_processes'
import { within, type Figures } from './figures.js'
import { Inspector } from './inspector.js'
import type { Installation } from './installation.js'
import { pullTimes, sendToAnswer, sendToWakeup } from './latency.js'
import { livePerConnection, residentPerStream } from './memory.js'
import { pgbenchMailboxes, pgbenchPerSecond, PULL_SCRIPT, SEND_SCRIPT } from './pgbench.js'
import { seedMailboxes } from './seed.js'
import { pullsPerSecond, sendsPerSecond } from './throughput.js'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 6)
const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const SAMPLES = Number(process.env.BENCH_SAMPLES ?? 1_000)
const WARM_UP_SECONDS = 3
const MAILBOXES = 100
const MESSAGE_BYTES = 1_024
const SENDERS = 64
const PULLERS = 16
const PULLED = 50
const PGBENCH_CLIENTS = 16
/** What pgbench pulls: it draws mailboxes at random, and none may become empty. */
const FILLED_SHARE = 0.6

const LIMITS = {
  sends: 4_000,
  pulled: 12_000,
  share: 0.4,
  wakeupMs: 25,
  residentKiB: 25,
  parkedKiB: 12,
  streamKiB: 8,
  pullMs: 5,
}

type Part = (installation: Installation, figures: Figures) => Promise<void>

export const sends: Part = async (installation, figures) => {
  const rate = await served(installation, {}, (hub) => sending(installation, hub))
  const bare = await pgbench(installation, SEND_SCRIPT, LIMITS.sends * SECONDS)
  figures.atLeast('durable sends of 1 KiB a second', rate, LIMITS.sends)
  figures.atLeast(`beside ${Math.round(bare)} of pgbench`, rate / bare, LIMITS.share)
}

/** Nothing is refused: the senders are so many that none has more than its share of requests. */
export const limits: Part = async (installation, figures) => {
  const rate = await served(installation, { isLimited: true }, (hub) => sending(installation, hub))
  figures.note(
    `with the limits of an installation, durable sends of 1 KiB a second: ${Math.round(rate)}`
  )
}

export const pulls: Part = async (installation, figures) => {
  const people = installation.people(MAILBOXES)
  const rate = await served(installation, {}, async (hub) => {
    const load = { origin: hub.origin, people, connections: PULLERS }
    const seconds = WARM_UP_SECONDS + SECONDS
    await fill(
      installation,
      people.map(({ id }) => id),
      seconds
    )
    await pullsPerSecond({ ...load, seconds: WARM_UP_SECONDS })
    return pullsPerSecond({ ...load, seconds: SECONDS })
  })
  await fill(installation, pgbenchMailboxes(MAILBOXES), SECONDS)
  const drawn = (FILLED_SHARE * filledFor(SECONDS) * MAILBOXES) / PULLED
  const bare = PULLED * (await pgbench(installation, PULL_SCRIPT, drawn))
  figures.atLeast('messages pulled and acknowledged a second', rate, LIMITS.pulled)
  figures.atLeast(`beside ${Math.round(bare)} of pgbench`, rate / bare, LIMITS.share)
}

export const wakeups: Part = async (installation, figures) => {
  await served(installation, { processes: 2 }, async (hub) => {
    const people = installation.people(MAILBOXES)
    await sendToAnswer(hub, people, SAMPLES / 2)
    const answered = within(await sendToAnswer(hub, people, SAMPLES), 0.99)
    const selected = within(await sendToWakeup(hub, people, SAMPLES), 0.99)
    const p99 = (what: string) =>
      `from sending until ${what}, ${MAILBOXES} waiting in two processes, p99`
    figures.atMost(p99('a parked request is answered'), answered, LIMITS.wakeupMs, ' ms')
    figures.atMost(p99('a stream tells it'), selected, LIMITS.wakeupMs, ' ms')
  })
}

export const memory: Part = async (installation, figures) => {
  const people = installation.people(5_000)
  await served(installation, {}, async (hub) => {
    await residentPerStream(hub, people.slice(0, 500))
    const resident = await residentPerStream(hub, people)
    figures.atMost(
      'resident memory of an idle stream among 5,000',
      resident,
      LIMITS.residentKiB,
      ' KiB'
    )
  })
  const port = await freePort()
  const variables = { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` }
  await served(installation, { variables }, async (hub) => {
    const inspector = await Inspector.open(port)
    const live = async (kind: 'parked' | 'stream') => {
      await livePerConnection(hub, { inspector, people: people.slice(0, 200), kind })
      return livePerConnection(hub, { inspector, people: people.slice(0, 2_000), kind })
    }
    figures.atMost(
      'live memory of a parked request among 2,000',
      await live('parked'),
      LIMITS.parkedKiB,
      ' KiB'
    )
    figures.atMost(
      'live memory of a stream among 2,000',
      await live('stream'),
      LIMITS.streamKiB,
      ' KiB'
    )
    inspector.close()
  })
}

export const rows: Part = async (installation, figures) => {
  const people = installation.people(MAILBOXES)
  await served(installation, {}, async (hub) => {
    const recipients = people.map(({ id }) => id)
    await installation.sql.query('truncate messages, mailboxes')
    await seedMailboxes(installation.sql, { recipients, messages: ROWS / MAILBOXES, bytes: 256 })
    await pullTimes(hub, people, SAMPLES)
    const times = await pullTimes(hub, people, SAMPLES)
    const [median, p99] = [within(times, 0.5), within(times, 0.99)]
    figures.note(
      `a pull of ${PULLED} from ${ROWS.toLocaleString('en')} rows: median ${median.toFixed(2)} ms`
    )
    figures.atMost('its p99', p99, LIMITS.pullMs, ' ms')
  })
}

async function sending(installation: Installation, { origin }: HubProcesses): Promise<number> {
  const load = { origin, people: installation.people(MAILBOXES), connections: SENDERS }
  await sendsPerSecond({ ...load, seconds: WARM_UP_SECONDS })
  return sendsPerSecond({ ...load, seconds: SECONDS })
}

/** Messages for each mailbox that last so many seconds, pulled five times faster than they have to be. */
function filledFor(seconds: number): number {
  return Math.ceil((5 * LIMITS.pulled * seconds) / MAILBOXES)
}

async function fill({ sql }: Installation, recipients: readonly string[], seconds: number) {
  await sql.query('truncate messages, mailboxes')
  await seedMailboxes(sql, { recipients, messages: filledFor(seconds), bytes: MESSAGE_BYTES })
}

function pgbench(
  { databaseUrl }: Installation,
  script: string,
  transactions: number
): Promise<number> {
  const clients = PGBENCH_CLIENTS
  const load = { mailboxes: MAILBOXES, clients, transactions: Math.floor(transactions / clients) }
  return pgbenchPerSecond({ databaseUrl, script, ...load })
}

async function served<Result>(
  installation: Installation,
  serving: Parameters<Installation['serve']>[0],
  use: (hub: HubProcesses) => Promise<Result>
): Promise<Result> {
  const hub = await installation.serve(serving)
  try {
    return await use(hub)
  } finally {
    await hub.remove()
  }
}
