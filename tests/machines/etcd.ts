import { join } from 'node:path'

import { exampleFor } from './example.js'
import type { Host } from './network.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'
import { until } from './until.js'

const CLIENT_PORT = 2379

const recipe = (host: Host): Recipe => ({
  name: 'etcd',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const folders = { '/var/lib/etcd/hub': join(home.path, 'data') }
    const example = await exampleFor('etcd.yml', { host: host.name, password: '', folders })
    const configuration = await home.write('etcd.yml', example)
    const url = `http://${host.name}:${CLIENT_PORT}`
    return {
      url,
      async boot() {
        await home.spawn('/usr/bin/etcd', ['--config-file', configuration])
        await home.until(() => healthOf(url))
      },
    }
  },
})

async function healthOf(url: string): Promise<void> {
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })
  const { health } = (await response.json()) as { health: string }
  if (health !== 'true') {
    throw new Error(`${url} has no leader`)
  }
}

/** The hosts of etcd, which decides who may be PostgreSQL's primary. */
export class EtcdCluster {
  readonly units: readonly Unit[]

  static async start(hosts: readonly Host[]): Promise<EtcdCluster> {
    return new EtcdCluster(await Promise.all(hosts.map((host) => startUnit(host, recipe(host)))))
  }

  private constructor(units: readonly Unit[]) {
    this.units = units
  }

  /** The unit that leads, once one does. */
  leader(): Promise<Unit> {
    return until('etcd has a leader', async () => {
      const statuses = await Promise.all(
        this.units.map((unit) => statusOf(unit.host).catch(() => undefined))
      )
      return this.units[statuses.findIndex(leads)]
    })
  }
}

interface Status {
  readonly leader: string
  readonly header: { readonly member_id: string }
}

const leads = (status: Status | undefined) =>
  status !== undefined && status.leader === status.header.member_id

async function statusOf({ name }: Host): Promise<Status> {
  const response = await fetch(`http://${name}:${CLIENT_PORT}/v3/maintenance/status`, {
    method: 'POST',
    body: '{}',
    signal: AbortSignal.timeout(2_000),
  })
  return (await response.json()) as Status
}
