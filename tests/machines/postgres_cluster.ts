import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Home } from '#tests/services/servers/home'
import { expectOk } from './ask.js'
import type { Example } from './example.js'
import type { Host } from './network.js'
import { checkRepeatedly } from './repeated_check.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'
import { until } from './until.js'

export const PATRONI_PORT = 8008
/** Patroni answers when it is done. */
const SWITCHOVER_MS = 60_000
const FILES = ['server.crt', 'server.key', 'servers.crt', 'patroni-check', 'database.sql']

const dataOf = ({ path }: Home) => join(path, 'data')

const urlOf = ({ name }: Host) => `https://${name}:${PATRONI_PORT}`

interface Shared {
  readonly example: Example
  /** Notes the home of each server. */
  readonly homes: Map<Host, Home>
}

const recipe = (host: Host, { example, homes }: Shared): Recipe => ({
  name: 'patroni',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    homes.set(host, home)
    const folders = {
      '/var/lib/postgresql/17/hub': dataOf(home),
      '/var/lib/postgresql/pgpass': join(home.path, 'pgpass'),
      '/var/run/postgresql': home.path,
      '/etc/patroni': home.path,
    }
    await example.lay(home, host, FILES, folders)
    const settings = await example.file(host, 'patroni.yml', folders)
    const configuration = await home.write('config.yml', settings)
    const url = urlOf(host)
    return {
      url,
      async boot() {
        await home.spawn('/usr/bin/patroni', [configuration])
        await home.until(() => expectOk(`${url}/health`))
      },
    }
  },
})

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
  readonly #example: Example

  /** Starts it with an empty database and its owner, both called hub. */
  static async start(hosts: readonly Host[], example: Example): Promise<PostgresCluster> {
    const homes = new Map<Host, Home>()
    const shared = { example, homes }
    const units = await Promise.all(hosts.map((host) => startUnit(host, recipe(host, shared))))
    for (const home of homes.values()) {
      const script = join(home.path, 'patroni-check')
      void checkRepeatedly({ script, interpreter: '/usr/bin/python3', home })
    }
    const cluster = new PostgresCluster(units, shared)
    await cluster.isWhole()
    await cluster.#createDatabase()
    return cluster
  }

  private constructor(units: readonly Unit[], { homes, example }: Shared) {
    this.units = units
    this.#homes = homes
    this.#example = example
  }

  /** The address of the hub's database on one host. */
  async urlAt({ name }: Host): Promise<string> {
    return `postgres://hub:${await this.#example.password('hub-database')}@${name}:5432/hub`
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
      const { host } = await this.primary()
      const candidate = (await this.synchronousStandby()).host.name
      const as = await this.#example.identityOf(host)
      const account = `patroni:${await this.#example.password('patroni')}`
      const body = { leader: host.name, candidate }
      const limitMs = SWITCHOVER_MS
      await expectOk(`${urlOf(host)}/switchover`, { method: 'POST', body, as, account, limitMs })
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
      const text = await expectOk(`${urlOf(host)}/cluster`)
      return (JSON.parse(text) as { members: Member[] }).members
    })
    return Promise.any(lists).catch(() => [])
  }

  async #createDatabase(): Promise<void> {
    const { host } = await this.primary()
    const home = this.#homes.get(host)!
    const args = [`--host=${host.name}`, '--username=postgres', '--set=ON_ERROR_STOP=1']
    const env = { PGPASSWORD: await this.#example.password('postgres') }
    await home.run('/usr/bin/psql', [...args, '--file', join(home.path, 'database.sql')], env)
  }
}
