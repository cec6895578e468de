import { execFile } from 'node:child_process'
import { chown, mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'

import { newStoreAddress, planVersitygw } from '#tests/services/servers/versitygw'
import type { Host } from './network.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'

const run = promisify(execFile)

const PORT = 7070
/** The account that the servers run as. */
const NOBODY = { uid: 65_534, gid: 65_534 }

/** Hosts of an S3 server that share one folder, as they would share a file system of the network. */
export class ObjectHosts {
  readonly units: readonly Unit[]
  /** An address with the keys of all hosts. */
  readonly url: string

  static async start(hosts: readonly Host[], folder: string): Promise<ObjectHosts> {
    await mkdir(folder, { mode: 0o700 })
    await chown(folder, NOBODY.uid, NOBODY.gid)
    const url = newStoreAddress(`${hosts[0]!.name}:${PORT}`)
    const units = hosts.map((host) => startUnit(host, recipe(host, url, folder)))
    return new ObjectHosts(await Promise.all(units), url)
  }

  private constructor(units: readonly Unit[], url: string) {
    this.units = units
    this.url = url
  }
}

const recipe = ({ name }: Host, shared: string, folder: string): Recipe => ({
  name: 'versitygw',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const url = new URL(shared)
    url.hostname = name
    // The server works in the folder that it serves, and is known by that it works in its home.
    const data = await home.makeFolder('data')
    await run('mount', ['--bind', folder, data])
    return planVersitygw(home, url.href, data)
  },
})
