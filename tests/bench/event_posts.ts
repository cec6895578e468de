/**
 * What `POST /telemetry/events` costs, checked, sealed and told of, beside a server that does nothing but insert a row for each
 * request: requests a second, and processor time of the server and of the database per event. Both take turns, on the same tables.
 * `BENCH_CONNECTIONS` says how many ask at once, `BENCH_ROUNDS` and `BENCH_SECONDS` how often and how long.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'

import { eventMessage } from './event_messages.js'
import { cpuMicroseconds } from './load.js'
import { measureHub } from './measured_hub.js'
import { median } from './median.js'
import { postgresMicroseconds } from './processors.js'

const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 64)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** Of the processor time that an insert by itself costs the database. */
const WANTED_SHARE = 0.5
const PLAIN = fileURLToPath(new URL('plain_insert_server.mjs', import.meta.url))

interface Server {
  readonly pid: number
  readonly url: string
}

interface Cost {
  readonly perSecond: number
  /** Microseconds per event. */
  readonly server: number
  readonly database: number
}

await measureHub({ SURFACES: 'telemetry' }, async ({ hub, token, databaseUrl }) => {
  const plain = fork(PLAIN, { env: { ...process.env, DATABASE_URL: databaseUrl, PORT: '0' } })
  try {
    const [{ port }] = (await once(plain, 'message')) as [{ port: number }]
    const servers = {
      platform: { pid: hub.pid, url: `${hub.origin}/events` },
      plain: { pid: plain.pid!, url: `http://127.0.0.1:${port}/events` },
    }
    return await compared(servers, token)
  } finally {
    plain.kill()
  }
})

/** The first round warms both up. */
async function compared(
  { platform, plain: bare }: Record<'platform' | 'plain', Server>,
  token: string
): Promise<boolean> {
  const rounds: { ours: Cost; theirs: Cost }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const seconds = round === 0 ? 2 : SECONDS
    const ours = await costOf(platform, token, seconds)
    const theirs = await costOf(bare, token, seconds)
    if (round > 0) {
      rounds.push({ ours, theirs })
      console.log(
        `platform ${output(ours)}; plain ${output(theirs)}; load ${loadavg()[0]!.toFixed(1)}`
      )
    }
  }
  const ratio = (of: (cost: Cost) => number) =>
    median(rounds.map(({ ours, theirs }) => of(ours) / of(theirs)))
  const rate = ratio(({ perSecond }) => perSecond)
  const share = ratio(({ database: used }) => used)
  console.log(
    `${rate.toFixed(2)} times as many a second (at least 1), ${share.toFixed(2)} of the time of the database (at most ${WANTED_SHARE})`
  )
  return rate >= 1 && share <= WANTED_SHARE
}

function output({ perSecond, server, database: used }: Cost): string {
  return `${perSecond.toFixed(0)} a second, server ${server.toFixed(0)} µs, database ${used.toFixed(0)} µs`
}

async function costOf({ pid, url }: Server, token: string, seconds: number): Promise<Cost> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const before = { server: cpuMicroseconds(pid), database: postgresMicroseconds() }
  const startedAt = performance.now()
  const until = startedAt + seconds * 1_000
  let count = 0
  const connection = async () => {
    while (performance.now() < until) {
      await post(url, token, agent, count++)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  const perSecond = (count * 1_000) / (performance.now() - startedAt)
  agent.destroy()
  return {
    perSecond,
    server: (cpuMicroseconds(pid) - before.server) / count,
    database: (postgresMicroseconds() - before.database) / count,
  }
}

function post(url: string, token: string, agent: Agent, number: number): Promise<void> {
  const { realmId, ...event } = eventMessage(number).message.data
  const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 201) {
        reject(new Error(`${url} answered with ${response.statusCode}`))
      }
      response.resume().once('end', resolve)
    })
    sent.once('error', reject).end(JSON.stringify(event))
  })
}
