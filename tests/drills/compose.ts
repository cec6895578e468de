/**
 * Types docs/compose.md with podman-compose: starts the installation from nothing, takes an analysis to its image, ends
 * and starts everything, and replaces and kills the hubs under 200 requests per second. Needs root, Go and the network of
 * packages. `DURATION` is how many seconds the load goes on after that.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

import { setting } from '#tests/chaos/setting'
import { ComposedHub, type Death } from '#tests/drills/compose/composed_hub'
import { SteadyLoad } from '#tests/drills/compose/steady_load'
import { eventually } from '#tests/helpers/eventually'
import { none, show, type Finding } from './report.js'

const DURATION_MS = setting('DURATION', 20) * 1_000
const ARRIVED_WITHIN_MS = 120_000
/** A container is a localhost of its own. */
const OF_LOCALHOST = ['PUBLIC_URL_UNREACHABLE', 'CERTIFICATE_UNKNOWN']
const HUBS = ['hub-1', 'hub-2']
const EVENTS = `select ref_id || ' ' || id from events where ref_type = 'node'`

await using cleanup = new AsyncDisposableStack()
const hub = await ComposedHub.prepare()
cleanup.defer(() => hub.remove())

await start()
await examine()
await takeToImage()
await restart()
await hub.makeNewImage()
await underLoad('the whole is replaced by a new image', replace)
await underLoad('each hub is killed', killEach)

async function start(): Promise<void> {
  const printed: string[] = []
  let seconds = 0
  let beganAt = performance.now()
  for await (const output of hub.typed('Start it')) {
    if (output.includes('worker is ready')) {
      seconds = secondsSince(beganAt)
    }
    printed.push(output)
    beganAt = performance.now()
  }
  const problems = seconds > 0 ? [] : [printed.join('')]
  show({ what: `up on an empty store: ready in ${seconds} s`, problems })
  const certificates = [...getCACertificates(), await hub.authority()]
  setDefaultCACertificates(certificates)
}

async function examine(): Promise<void> {
  const [printed] = await Array.fromAsync(hub.typed('Check it', { mayFail: true }))
  const problems = [...printed!.matchAll(/\[ (?:error|warning) \] (.*)/g)].map(([, code]) => code!)
  const others = problems.filter((code) => !OF_LOCALHOST.includes(code))
  const what = `the doctor finds nothing but ${OF_LOCALHOST.join(' and ')}`
  show({ what, problems: printed!.includes('fine:') ? others : [printed!] })
}

async function takeToImage(): Promise<void> {
  let printed = ''
  for await (const output of hub.typed('Take an analysis to its image')) {
    printed += output
  }
  const isBuilt = printed.includes('buildStatus=executed')
  show({ what: 'the worker built the image of an analysis', problems: isBuilt ? [] : [printed] })
}

async function restart(): Promise<void> {
  const before = await kept()
  await hub.down()
  const beganAt = performance.now()
  await hub.up()
  const after = await kept()
  const problems = Object.keys(before).filter((name) => before[name] !== after[name])
  const what = `down and up, ready in ${secondsSince(beganAt)} s, keeps ${Object.keys(before).join(', ')}`
  show({ what, problems: [...problems, ...none(Object.values(before).filter(Boolean).length)] })
}

/** What there is, as it is shown to whoever logged in before. */
async function kept(): Promise<Record<string, string>> {
  const shown = {
    login: 'hubctl whoami | grep -E "^(name|realmId):"',
    records: 'hubctl get analysis trial -o json',
    files: 'rm -f copy && hubctl bucket cp code@trial:main.py copy && cat copy',
    images: 'hubctl get master-images -o json',
    lines: 'hubctl analysis logs trial',
    secrets: 'sha256sum .env compose/secrets/*',
  }
  const entries: [string, string][] = []
  for (const [name, command] of Object.entries(shown)) {
    entries.push([name, await hub.type(command)])
  }
  return Object.fromEntries(entries)
}

async function replace(): Promise<Death[]> {
  await hub.up()
  return []
}

async function killEach(): Promise<Death[]> {
  const deaths: Death[] = []
  for (const name of HUBS) {
    deaths.push(await hub.kill(name))
    await hub.isBack(name)
  }
  return deaths
}

async function underLoad(title: string, work: () => Promise<Death[]>): Promise<void> {
  console.log(`     ${title} under load:`)
  const load = await SteadyLoad.start({ origin: hub.origin, token: await token() })
  try {
    const deaths = await work()
    await delay(DURATION_MS)
    await load.endSending()
    show(reads(load))
    show(writes(load, deaths))
    show(await stored(load))
    show(await events(load))
    show(await sockets(load))
  } finally {
    load.stop()
  }
}

function reads({ reads: { answered, failed }, perSecond, slowestMs }: SteadyLoad): Finding {
  const what =
    `at ${perSecond} requests per second, ${answered} reads were answered, none failed; ` +
    `the slowest request took ${Math.round(slowestMs)} ms`
  return { what, problems: [...failed.map(({ reason }) => reason), ...none(answered)] }
}

/** A killed hub may have done what it was asked, so that nobody may ask the other one. */
function writes({ writes: { answered, failed } }: SteadyLoad, deaths: Death[]): Finding {
  const others = failed.filter(({ beganAt, endedAt }) =>
    deaths.every(({ killedAt, goneAt }) => beganAt > goneAt || endedAt < killedAt)
  )
  const lost = failed.length - others.length
  const what =
    `${answered} writes were answered, none failed` +
    (deaths.length > 0 ? ` but ${lost} that were with a hub when it was killed` : '')
  return { what, problems: [...others.map(({ reason }) => reason), ...none(answered)] }
}

async function stored({ created }: SteadyLoad): Promise<Finding> {
  const ids = new Set(await hub.rows('select id from nodes'))
  const missing = created.filter((id) => !ids.has(id))
  return { what: `${created.length} acknowledged writes are stored`, problems: missing }
}

async function events({ events: listener, created }: SteadyLoad): Promise<Finding> {
  const { received, reconnects, interruptions, surprises } = listener
  const wrong = async () => {
    const ids = new Map((await hub.rows(EVENTS)).map((row) => row.split(' ') as [string, string]))
    return created.filter((node) => received.get(ids.get(node) ?? '') !== 1)
  }
  await eventually(async () => (await wrong()).length === 0, ARRIVED_WITHIN_MS).catch(() => {})
  const what =
    `the events of these writes reached a stream once, which reconnected ${reconnects} times, ` +
    `${interruptions.length} times after it broke off`
  return { what, problems: [...(await wrong()), ...surprises, ...none(reconnects)] }
}

async function sockets(load: SteadyLoad): Promise<Finding> {
  const id = await load.create()
  const isReceived = id !== undefined && (await load.socket.receives(id))
  const { reconnects, receivedCount, surprises } = load.socket
  const what = `a socket reconnected ${reconnects} times and received ${receivedCount} new nodes`
  const problems = isReceived ? [] : ['the last one was not received']
  return { what, problems: [...problems, ...surprises, ...none(reconnects)] }
}

/** Of the client that the hub has for itself, whose limit of requests is the highest. */
async function token(): Promise<string> {
  const form = {
    grant_type: 'client_credentials',
    client_id: 'system',
    client_secret: await hub.secret('CLIENT_SECRET'),
  }
  const url = `${hub.origin}/auth/token?realm_name=master`
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  return ((await response.json()) as { access_token: string }).access_token
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1_000)
}
