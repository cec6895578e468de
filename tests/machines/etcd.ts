import { join } from 'node:path'

import type { Home } from '#tests/services/servers/home'
import { expectOk } from './ask.js'
import type { Example } from './example.js'
import type { Host } from './network.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'
import { until } from './until.js'

export const ETCD_PORT = 2379
const FILES = ['server.crt', 'server.key', 'servers.crt', 'peer.crt', 'peer.key', 'peers.crt']
const SETTINGS = 'etcd.yml'
const ACCOUNTS = 'etcd-accounts'

interface Shared {
  readonly example: Example
  /** Notes the home of each server. */
  readonly homes: Map<Host, Home>
}

const recipe = (host: Host, { example, homes }: Shared): Recipe => ({
  name: 'etcd',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    homes.set(host, home)
    const folders = { '/var/lib/etcd/hub': join(home.path, 'data'), '/etc/etcd': home.path }
    await example.lay(home, host, [...FILES, SETTINGS, ACCOUNTS], folders)
    const as = await example.identityOf(host)
    const url = `https://${host.name}:${ETCD_PORT}`
    return {
      url,
      async boot() {
        await home.spawn('/usr/bin/etcd', ['--config-file', join(home.path, SETTINGS)])
        await home.until(async () => {
          const { health } = JSON.parse(await expectOk(`${url}/health`, { as })) as Health
          if (health !== 'true') {
            throw new Error(`${url} has no leader`)
          }
        })
      },
    }
  },
})

interface Health {
  readonly health: string
}

/** The hosts of etcd, which decides who may be PostgreSQL's primary. */
export class EtcdCluster {
  readonly units: readonly Unit[]
  readonly #example: Example

  static async start(hosts: readonly Host[], example: Example): Promise<EtcdCluster> {
    const shared = { example, homes: new Map<Host, Home>() }
    const units = await Promise.all(hosts.map((host) => startUnit(host, recipe(host, shared))))
    const home = shared.homes.get(hosts[0]!)!
    await home.run('/bin/sh', [join(home.path, ACCOUNTS)])
    return new EtcdCluster(units, example)
  }

  private constructor(units: readonly Unit[], example: Example) {
    this.units = units
    this.#example = example
  }

  /** The unit that leads, once one does. */
  leader(): Promise<Unit> {
    return until('etcd has a leader', async () => {
      const statuses = await Promise.all(
        this.units.map(({ host }) => this.#statusOf(host).catch(() => undefined))
      )
      return this.units[statuses.findIndex(leads)]
    })
  }

  async #statusOf(host: Host): Promise<Status> {
    const url = `https://${host.name}:${ETCD_PORT}/v3/maintenance/status`
    const as = await this.#example.identityOf(host)
    return JSON.parse(await expectOk(url, { method: 'POST', body: {}, as })) as Status
  }
}

interface Status {
  readonly leader: string
  readonly header: { readonly member_id: string }
}

const leads = (status: Status | undefined) =>
  status !== undefined && status.leader === status.header.member_id
