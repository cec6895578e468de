import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import pg from 'pg'

import type { Home } from '#tests/services/servers/home'
import { exampleFor } from './example.js'
import type { Host } from './network.js'
import { checkRepeatedly } from './repeated_check.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'
import { until } from './until.js'

const PATRONI_PORT = 8008
const ANSWER_MS = 2_000

const dataOf = ({ path }: Home) => join(path, 'data')

interface Shared {
  readonly password: string
  /** Notes the home of each server. */
  readonly homes: Map<Host, Home>
}

const recipe = (host: Host, { password, homes }: Shared): Recipe => ({
  name: 'patroni',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    homes.set(host, home)
    const folders = {
      '/var/lib/postgresql/17/hub': dataOf(home),
      '/var/lib/postgresql/pgpass': join(home.path, 'pgpass'),
      '/var/run/postgresql': home.path,
    }
    const example = await exampleFor('patroni.yml', { host: host.name, password, folders })
    const configuration = await home.write('patroni.yml', example)
    const url = `http://${host.name}:${PATRONI_PORT}`
    return {
      url,
      async boot() {
        await home.spawn('/usr/bin/patroni', [configuration])
        await home.until(() => expectOk(`${url}/health`))
      },
    }
  },
})

async function expectOk(url: string): Promise<void> {
  const { ok, status, body } = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
  await body?.cancel()
  if (!ok) {
    throw new Error(`${url}: ${status}`)
  }
}

/** A member as Patroni lists it. */
interface Member {
  readonly name: string
  readonly role: 'leader' | 'sync_standby' | 'replica'
  readonly state: string
  /** Of a member that runs. */
  readonly timeline?: number
}

/** PostgreSQL on several hosts, of which Patroni chooses the primary. */
export class PostgresCluster {
  readonly units: readonly Unit[]
  readonly #homes: ReadonlyMap<Host, Home>
  readonly #password: string

  /** Starts it with an empty database and its owner, both called hub. */
  static async start(hosts: readonly Host[], password: string): Promise<PostgresCluster> {
    const homes = new Map<Host, Home>()
    const shared = { password, homes }
    const units = await Promise.all(hosts.map((host) => startUnit(host, recipe(host, shared))))
    const check = { file: 'patroni-check', interpreter: '/usr/bin/python3' }
    homes.forEach((home, host) => void checkRepeatedly({ ...check, host, home }))
    const cluster = new PostgresCluster(units, homes, password)
    await cluster.isWhole()
    await cluster.#createDatabase()
    return cluster
  }

  private constructor(units: readonly Unit[], homes: ReadonlyMap<Host, Home>, password: string) {
    this.units = units
    this.#homes = homes
    this.#password = password
  }

  /** The address of the hub's database on one host. */
  urlAt({ name }: Host): string {
    return `postgres://hub:${this.#password}@${name}:5432/hub`
  }

  /** The unit that Patroni calls the leader, once there is one. */
  primary(): Promise<Unit> {
    return until('PostgreSQL has a primary', () => this.#unitOf('leader'))
  }

  /** The unit of the standby that has every confirmed commit, once there is one. */
  synchronousStandby(): Promise<Unit> {
    return until('PostgreSQL has a synchronous standby', () => this.#unitOf('sync_standby'))
  }

  /** Waits until there is a primary, a synchronous standby, and all others follow. */
  async isWhole(): Promise<void> {
    await until('PostgreSQL has a primary and standbys that follow it', async () => {
      const members = await this.#members()
      const leader = members.find(({ role, state }) => role === 'leader' && state === 'running')
      // One that streams another timeline has yet to be rewound.
      const followers = members.filter(
        ({ state, timeline }) => state === 'streaming' && timeline === leader?.timeline
      )
      return (
        followers.length === this.units.length - 1 &&
        followers.some(({ role }) => role === 'sync_standby')
      )
    })
  }

  /** Makes the synchronous standby the primary, as an administrator does. */
  async switchOver(): Promise<void> {
    await until('Patroni switches to the synchronous standby', async () => {
      const leader = (await this.primary()).host.name
      const candidate = (await this.synchronousStandby()).host.name
      const response = await fetch(`http://${leader}:${PATRONI_PORT}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader, candidate }),
      })
      const text = await response.text()
      if (!response.ok) {
        throw new Error(`Patroni refused: ${response.status} ${text}`)
      }
      return true
    })
  }

  /** Ends a server and removes a folder without which PostgreSQL does not start. */
  async damage(host: Host): Promise<void> {
    const unit = this.units.find((each) => each.host === host)!
    await unit.switchOff()
    await rm(join(dataOf(this.#homes.get(host)!), 'pg_replslot'), { recursive: true })
    unit.switchOn()
  }

  async #unitOf(role: Member['role']): Promise<Unit | undefined> {
    const member = (await this.#members()).find((each) => each.role === role)
    return this.units.find(({ host }) => host.name === member?.name)
  }

  /** As the first host that responds sees it. */
  async #members(): Promise<Member[]> {
    const lists = this.units.map(async ({ host }) => {
      const response = await fetch(`http://${host.name}:${PATRONI_PORT}/cluster`, {
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      return ((await response.json()) as { members: Member[] }).members
    })
    return Promise.any(lists).catch(() => [])
  }

  async #createDatabase(): Promise<void> {
    const { host } = await this.primary()
    const connectionString = `postgres://postgres:${this.#password}@${host.name}:5432/postgres`
    const client = new pg.Client({ connectionString })
    await client.connect()
    try {
      await client.query(`create role hub login password '${this.#password}'`)
      await client.query('create database hub owner hub')
    } finally {
      await client.end()
    }
  }
}
