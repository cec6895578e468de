import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

import type pg from 'pg'

import type { Finding } from '#tests/drills/report'
import type { Host } from './network.js'
import type { PostgresCluster } from './postgres_cluster.js'

const PROGRAM = fileURLToPath(new URL('probe.mjs', import.meta.url))

interface Confirmed {
  readonly id: string
  readonly sentAt: number
  readonly at: number
  /** Rises with each promotion. */
  readonly timeline: number
}

type Probe = ChildProcessByStdio<null, Readable, null>

async function startProbe(host: Host, cluster: PostgresCluster): Promise<Probe> {
  const [program, ...args] = [...host.networkPrefix, process.execPath, PROGRAM]
  const env = { PROBE_HOST: host.name, PROBE_URL: await cluster.urlAt(host) }
  return spawn(program!, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

/** A writer on each host of PostgreSQL, which can still reach a primary that is cut off from everybody else. */
export class PrimaryProbes {
  readonly #confirmed: Confirmed[] = []
  readonly #pool: pg.Pool
  readonly #children: readonly Probe[]

  static async start(pool: pg.Pool, cluster: PostgresCluster): Promise<PrimaryProbes> {
    await pool.query('create table drill_probes (id text primary key)')
    const children = await Promise.all(cluster.units.map(({ host }) => startProbe(host, cluster)))
    return new PrimaryProbes(pool, children)
  }

  private constructor(pool: pg.Pool, children: readonly Probe[]) {
    this.#pool = pool
    this.#children = children
    for (const { stdout } of children) {
      createInterface({ input: stdout }).on('line', (line) => {
        this.#confirmed.push(JSON.parse(line) as Confirmed)
      })
    }
  }

  /** Whether every confirmed write is stored, and none was sent to a former primary and confirmed by it. */
  async finding(): Promise<Finding> {
    const confirmed = [...this.#confirmed]
    const { rows } = await this.#pool.query<{ id: string }>('select id from drill_probes')
    const stored = new Set(rows.map(({ id }) => id))
    const lost = confirmed.filter(({ id }) => !stored.has(id))
    return {
      what: `${confirmed.length} writes at the hosts of PostgreSQL are stored, and none was confirmed by a former primary`,
      problems: [
        ...lost.map(({ id }) => `${id} is lost`),
        ...byFormerPrimaries(confirmed).map(({ id }) => `${id} was confirmed by a former primary`),
      ],
    }
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map((child) => {
        child.kill()
        return once(child, 'exit')
      })
    )
  }
}

/**
 * Writes that were sent when a later primary had confirmed some. One that was sent before may be confirmed afterwards: its
 * primary was paused when a standby had it already.
 */
export function byFormerPrimaries(confirmed: readonly Confirmed[]): Confirmed[] {
  const beginnings = new Map<number, number>()
  for (const { timeline, at } of confirmed) {
    beginnings.set(timeline, Math.min(at, beginnings.get(timeline) ?? Infinity))
  }
  return confirmed.filter(({ timeline, sentAt }) =>
    [...beginnings].some(([later, beganAt]) => later > timeline && beganAt < sentAt)
  )
}
