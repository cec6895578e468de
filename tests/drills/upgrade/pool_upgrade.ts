import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Client, isOpen } from '#tests/chaos/client'
import { NodeWriter } from '#tests/chaos/node_writer'
import { eventually } from '#tests/helpers/eventually'
import type { HubProcesses } from '#tests/helpers/hub_processes'
import { Load } from '#tests/helpers/load'
import type { Finding } from '#tests/drills/report'
import type { Installation, Release } from './installation.js'
import { Reader } from './reader.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const START_LIMIT = /startLimitMs: \S*?(?=,)/
const REPLACED = 'every process was replaced'
const FAILED = 'the reload failed'
/** A quiet machine needs twenty seconds. */
const RELOADED_WITHIN_MS = 600_000
const CONNECTIONS = 8
const CLIENTS_OF_A_KIND = 2
const WRITER_PAUSE_MS = 100
/** How many requests each state of the pool answers. */
const ANSWERS_EACH = 500

/**
 * Installs one release after the other in the folder of a running pool and reloads it under load, as on a single machine.
 * Its primary stays that of the first release all along.
 */
export async function upgradePool(
  installation: Installation,
  [first, ...others]: readonly [Release, ...Release[]]
): Promise<Finding> {
  await using cleanup = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'hub-upgraded-pool-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  await install(first, folder)
  const pool = await installation.startPool(folder)
  cleanup.defer(() => pool.remove())
  const clients = await PoolClients.start(pool.origin)
  cleanup.defer(() => clients.stop().then(() => {}))
  const problems: string[] = []
  for (const [turn, release] of others.entries()) {
    await clients.answered(pool, ANSWERS_EACH)
    const former = pool.members
    await install(release, folder)
    pool.signal('SIGHUP')
    await reloaded(pool, turn + 1)
    problems.push(...(await unreplaced(pool, former, release)))
  }
  await clients.answered(pool, ANSWERS_EACH)
  problems.unshift(...pool.output.split('\n').filter((line) => line.includes(FAILED)))
  const { answered, lost } = await clients.stop()
  pool.signal('SIGTERM')
  const exit = await pool.exit
  return {
    what: `a pool of ${first.name} was reloaded into ${others.map(({ name }) => name).join(', ')}: ${answered} requests were answered, none lost`,
    problems: [...problems, ...lost, ...(exit === 0 ? [] : [`it ended with ${exit}`])],
  }
}

/** Waits for a reload, or for its failure, which the table at the end shows as processes that were not replaced. */
async function reloaded(pool: HubProcesses, times: number): Promise<void> {
  const isOver = () =>
    pool.output.split(REPLACED).length + pool.output.split(FAILED).length > times + 1
  await eventually(isOver, RELOADED_WITHIN_MS)
}

/** Clients that ask for a page over kept connections, read from every surface, sign in, and write. */
class PoolClients {
  readonly #load: Load
  readonly #client: Client
  readonly #readers: readonly Reader[]
  readonly #writers: readonly NodeWriter[]
  readonly #stopping = new AbortController()
  readonly #running: Promise<unknown>

  static async start(origin: string): Promise<PoolClients> {
    return new PoolClients(origin, await Client.signIn(origin))
  }

  private constructor(origin: string, client: Client) {
    const { signal: stopping } = this.#stopping
    const each = Array.from({ length: CLIENTS_OF_A_KIND }, (_, n) => n)
    this.#client = client
    this.#load = new Load(`${origin}/core/`, CONNECTIONS)
    this.#readers = each.map(() => new Reader(origin, stopping))
    this.#writers = each.map((n) => {
      const name = `pool-${n}-${randomUUID()}`
      return new NodeWriter({ client, name, pauseMs: WRITER_PAUSE_MS, stopping })
    })
    this.#running = Promise.all([...this.#readers, ...this.#writers].map((one) => one.run()))
    // Reported where the clients end; a drill that fails before that reports its own reason.
    this.#running.catch(() => {})
  }

  /** Waits until that many requests more are answered, and every reader and writer has been, too. */
  async answered(pool: HubProcesses, count: number): Promise<void> {
    const total = this.#load.answered
    const counts = this.#counts
    await pool.until('its clients were answered', () => {
      const isEachAnswered = this.#counts.every((now, n) => now > counts[n]!)
      return isEachAnswered && this.#load.answered >= total + count
    })
  }

  async stop(): Promise<{ answered: number; lost: string[] }> {
    this.#stopping.abort()
    await this.#running
    const { answered, lost } = await this.#load.stop()
    const [reads, writes] = [this.#readers, this.#writers]
    const failures = this.#client.exchanges.filter(isOpen)
    return {
      answered: answered + this.#counts.reduce((sum, count) => sum + count, 0),
      lost: [
        ...lost.map(({ at, reason }) => `a request after ${at} ms: ${reason}`),
        ...[...reads, ...writes].flatMap(({ surprises }) => surprises),
        ...failures.map(({ status, body }) => `a write: ${status} ${body.message}`),
      ],
    }
  }

  get #counts(): number[] {
    return [
      ...this.#readers.map(({ answered }) => answered),
      ...this.#writers.map(({ promised }) => promised.length),
    ]
  }
}

/** What is no part of the release is removed, as by a build. */
async function install({ root }: Release, folder: string): Promise<void> {
  await cp(join(root ?? ROOT, 'build'), join(folder, 'next_build'), { recursive: true })
  if (root !== undefined) {
    await makePatient(join(folder, 'next_build'))
  }
  await symlink(join(root ?? ROOT, 'node_modules'), join(folder, 'next_modules'))
  await rm(join(folder, 'build'), { recursive: true, force: true })
  await rename(join(folder, 'next_build'), join(folder, 'build'))
  await rename(join(folder, 'next_modules'), join(folder, 'node_modules'))
}

/** A primary of an earlier release gives up a process that is not ready within a minute, as none is on a busy machine. */
async function makePatient(build: string): Promise<void> {
  const file = join(build, 'config', 'pool.js')
  const settings = await readFile(file, 'utf8')
  const patient = settings.replace(START_LIMIT, `startLimitMs: ${RELOADED_WITHIN_MS}`)
  if (patient === settings) {
    throw new Error(`${file} has no startLimitMs`)
  }
  await writeFile(file, patient)
}

/** Processes of before that are still there, and another release than the one that was installed. */
async function unreplaced(
  pool: HubProcesses,
  former: HubProcesses['members'],
  release: Release
): Promise<string[]> {
  const left = former.filter(([, pid]) => pool.processes.includes(pid))
  const { headers } = await fetch(`${pool.origin}/core/`)
  const latest = await readFile(join(ROOT, 'build', 'commit'), 'utf8')
  const isLatest = headers.get('x-hub-commit') === latest
  return [
    ...left.map(([name]) => `${name} was not replaced`),
    ...(isLatest === (release.root === undefined) ? [] : [`${release.name} does not answer`]),
  ]
}
