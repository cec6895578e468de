import { request, Agent } from 'node:http'

import type pg from 'pg'

import { instructionsDuring } from './instructions.js'
import { median } from './median.js'
import { postgresProcesses, serverMicroseconds } from './processors.js'
import type { BenchServer } from './servers.js'

const ROUNDS = Number(process.env.BENCH_CREATION_ROUNDS ?? 10)
const WARM_UP_ROUNDS = 2
const CREATIONS = 1_536

/** Of one creation with totals and of one without, by the server and all of PostgreSQL. */
export interface Costs {
  readonly kept: number
  readonly unkept: number
}

interface Turn {
  readonly microseconds: number
  readonly server: number | undefined
  readonly postgres: number | undefined
}

/**
 * What the creation of a project costs with its totals kept and not. In turns, the one that begins alternating, and by the median of
 * what two that follow each other differ by: whatever else the machine does, and that the table grows, meets both. The server does
 * the same with and without: what it takes is that of all turns, since its own collections of garbage differ by more than what
 * totals cost.
 */
export async function creationCosts(
  server: BenchServer,
  client: pg.Client,
  connections: number
): Promise<{ microseconds: Costs; instructions: Costs | undefined }> {
  const creations = new Creations(server.url, connections)
  const turns: Record<keyof Costs, Turn[]> = { unkept: [], kept: [] }
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const sides = round % 2 === 0 ? (['unkept', 'kept'] as const) : (['kept', 'unkept'] as const)
    for (const side of sides) {
      const action = side === 'kept' ? 'enable' : 'disable'
      await client.query(`alter table projects ${action} trigger projects_insert_total`)
      const turn = await costOf(server, () => creations.make(CREATIONS))
      if (round >= 0) {
        turns[side].push(turn)
      }
    }
  }
  creations.end()
  const all = [...turns.unkept, ...turns.kept]
  const of = (some: readonly Turn[], what: keyof Turn) =>
    median(some.map((turn) => turn[what]!)) / CREATIONS
  const costs = (what: keyof Turn, besides = 0): Costs => {
    const unkept = besides + of(turns.unkept, what)
    const more = turns.kept.map((turn, index) => turn[what]! - turns.unkept[index]![what]!)
    return { unkept, kept: unkept + median(more) / CREATIONS }
  }
  const isCounted = all.every((turn) => turn.server && turn.postgres)
  return {
    microseconds: costs('microseconds'),
    instructions: isCounted ? costs('postgres', of(all, 'server')) : undefined,
  }
}

/** Background work of PostgreSQL that starts meanwhile is not counted. */
async function costOf({ pid }: BenchServer, work: () => Promise<void>): Promise<Turn> {
  const before = serverMicroseconds(pid)
  const [, ...backends] = postgresProcesses()
  let postgres: number | undefined
  const server = await instructionsDuring([pid], async () => {
    postgres = await instructionsDuring(backends, work)
  })
  return { microseconds: serverMicroseconds(pid) - before, server, postgres }
}

class Creations {
  readonly #url: string
  readonly #connections: number
  readonly #agent: Agent
  #count = 0

  constructor(url: string, connections: number) {
    this.#url = url
    this.#connections = connections
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  async make(creations: number): Promise<void> {
    await Promise.all(
      Array.from({ length: this.#connections }, async () => {
        for (let remaining = creations / this.#connections; remaining > 0; remaining--) {
          await this.#create()
        }
      })
    )
  }

  end(): void {
    this.#agent.destroy()
  }

  #create(): Promise<void> {
    const headers = { 'authorization': 'Bearer bench', 'content-type': 'application/json' }
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', agent: this.#agent, headers }
      request(`${this.#url}/projects`, options, (response) => {
        if (response.statusCode !== 201) {
          reject(new Error(`A creation was answered with ${response.statusCode}`))
        }
        response.resume().once('end', resolve)
      })
        .once('error', reject)
        .end(JSON.stringify({ name: `project-${this.#count++}` }))
    })
  }
}
