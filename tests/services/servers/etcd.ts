import { join } from 'node:path'

import { goModulePrograms } from './go_program.js'

/** Debian 12 has 3.4.23, in which a former leader that was paused revokes the leases that its successor has renewed. */
const VERSION = 'v3.6.16'

/** The program of etcd. */
export async function etcdProgram(): Promise<string> {
  const folder = await goModulePrograms({
    name: 'etcd',
    module: 'go.etcd.io/etcd/server/v3',
    version: VERSION,
    versionOfParts: VERSION,
    programs: ['go.etcd.io/etcd/server/v3'],
    linkerFlags: '-s -w',
  })
  return join(folder, 'server')
}
