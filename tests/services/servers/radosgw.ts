import { randomBytes, randomUUID } from 'node:crypto'

import { freePort } from './free_port.js'
import type { Home } from './home.js'
import { PACKAGES } from './packages.js'
import { RealServer, type Recipe } from './real_server.js'

const USER = 'hub'
const STORE_BYTES = 8 * 1024 ** 3
const EVERYTHING = ['mon', 'osd', 'mgr'].flatMap((part) => ['--cap', part, 'allow *'])

interface RadosGatewayOptions {
  /** The most its user may store: a store that is full without a disk that is. */
  quotaBytes?: number
}

/**
 * One monitor, one disk, one gateway, nothing replicated. The disk is a sparse file: it takes the room of what is in it, and
 * outlives a SIGKILL, which Ceph's disk in memory does not. Two of its waits are shortened: the monitor's second for further
 * changes, of which the first bucket needs ten, and the half minute for which a killed gateway counts as one that listens.
 */
const settings = (home: Home, id: string, monitor: string, gateway: number) => `
[global]
fsid = ${id}
mon host = ${monitor}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
run dir = ${home.path}
crash dir = ${home.path}
admin socket =
log file =
log to stderr = true
err to stderr = true
keyring = ${home.path}/keyring
paxos propose interval = 0.05
paxos min wait = 0.01
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = bluestore
osd client watch timeout = 2
osd memory target = 939524096
bluestore block size = ${STORE_BYTES}
mon allow pool size one = true
mon max pg per osd = 1000
[mon.a]
mon data = ${home.path}/mon
[osd.0]
osd data = ${home.path}/osd
keyring = ${home.path}/osd/keyring
[client.admin]
rgw frontends = beast endpoint=127.0.0.1:${gateway}
rgw bucket quota ttl = 0
rgw user quota bucket sync interval = 1
rgw gc obj min wait = 0
rgw gc processor period = 2
rgw gc processor max time = 2
`

const recipe = ({ quotaBytes }: RadosGatewayOptions): Recipe => ({
  name: 'radosgw',
  packages: PACKAGES.radosgw,
  account: 'ceph',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const id = randomUUID()
    const monitor = `v2:127.0.0.1:${await freePort()},v1:127.0.0.1:${await freePort()}`
    const port = await freePort()
    const accessKey = randomBytes(10).toString('hex')
    const secretKey = randomBytes(20).toString('hex')
    await home.write('ceph.conf', settings(home, id, monitor, port))
    await home.write('user.json', JSON.stringify(userRecord(accessKey, secretKey, quotaBytes)))
    await makeMonitor(home, id, monitor)

    let isNew = true
    return {
      url: `http://${accessKey}:${secretKey}@127.0.0.1:${port}`,
      async boot() {
        await home.spawn('/usr/bin/ceph-mon', ['-c', 'ceph.conf', '-i', 'a', '-f'])
        if (isNew) {
          await makeDisk(home)
        }
        await home.spawn('/usr/bin/ceph-osd', ['-c', 'ceph.conf', '-i', '0', '-f'])
        if (isNew) {
          await registerUser(home)
        }
        await home.spawn('/usr/bin/radosgw', ['-c', 'ceph.conf', '-n', 'client.admin', '-f'])
        await home.until(() => fetch(`http://127.0.0.1:${port}/`))
        isNew = false
      },
    }
  },
})

function userRecord(accessKey: string, secretKey: string, quotaBytes?: number) {
  return {
    data: {
      user_id: USER,
      display_name: USER,
      max_buckets: 1000,
      op_mask: 'read, write, delete',
      keys: [{ user: USER, access_key: accessKey, secret_key: secretKey }],
      user_quota: {
        enabled: quotaBytes !== undefined,
        max_size: quotaBytes ?? -1,
        max_objects: -1,
      },
      type: 'rgw',
    },
  }
}

async function makeMonitor(home: Home, id: string, addresses: string): Promise<void> {
  await home.makeFolder('mon')
  await home.makeFolder('osd')
  const authtool = (...args: string[]) => home.run('/usr/bin/ceph-authtool', ['keyring', ...args])
  await authtool('--create-keyring', '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *')
  await authtool('--gen-key', '-n', 'client.admin', ...EVERYTHING)
  const place = ['--addv', 'a', `[${addresses}]`, '--fsid', id, 'monmap']
  await home.run('/usr/bin/monmaptool', ['--create', ...place])
  const files = ['--monmap', 'monmap', '--keyring', 'keyring']
  await ceph(home, 'ceph-mon', '--mkfs', '-i', 'a', ...files)
}

async function makeDisk(home: Home): Promise<void> {
  const id = randomUUID()
  await ceph(home, 'ceph', 'osd', 'new', id)
  const rights = ['mon', 'allow profile osd', 'osd', 'allow *']
  await ceph(home, 'ceph', 'auth', 'get-or-create', 'osd.0', ...rights, '-o', 'osd/keyring')
  await ceph(home, 'ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', id)
}

/** From a file, because keys are no arguments of a process. */
async function registerUser(home: Home): Promise<void> {
  const args = ['metadata', 'put', `user:${USER}`, '--infile=user.json']
  await ceph(home, 'radosgw-admin', ...args)
}

async function ceph(home: Home, program: string, ...args: string[]): Promise<void> {
  await home.run(`/usr/bin/${program}`, ['-c', 'ceph.conf', ...args])
}

/** A Ceph Object Gateway of the test's own; its address carries the keys of a user. */
export function startRadosgw(options: RadosGatewayOptions = {}): Promise<RealServer> {
  return RealServer.start(recipe(options))
}

interface BucketStatistics {
  readonly usage: Record<string, { readonly size: number }>
}

/** Whether a gateway counts against the quota what is in its buckets: it adds that up a while after it stored or deleted something. */
export async function isCounted(gateway: RealServer): Promise<boolean> {
  const buckets: BucketStatistics[] = await statistics(gateway, 'bucket')
  const stored = buckets.flatMap(({ usage }) => Object.values(usage))
  const { stats: counted } = await statistics(gateway, 'user')
  return counted.size === stored.reduce((sum, { size }) => sum + size, 0)
}

async function statistics(gateway: RealServer, of: 'bucket' | 'user') {
  const args = ['-c', 'ceph.conf', of, 'stats', `--uid=${USER}`]
  return JSON.parse(await gateway.run('/usr/bin/radosgw-admin', args))
}
