import { randomBytes } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import pg from 'pg'

import { freePort } from './free_port.js'
import { PACKAGES } from './packages.js'
import { RealServer, type Recipe } from './real_server.js'

const BINARIES = '/usr/lib/postgresql/15/bin'
const USER = 'hub'

/**
 * Without fsync a commit survives the death of every process, which is what the tests bring about, and only the death of
 * the machine could lose it. Shared memory is kept in the data folder, so that a killed server leaves none behind in /dev/shm.
 */
const settings = (port: number) => `
port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
fsync = off
dynamic_shared_memory_type = mmap
`

const recipe: Recipe = {
  name: 'postgres',
  packages: PACKAGES.postgres,
  account: 'postgres',
  stopSignal: 'SIGINT',
  async prepare(home) {
    const port = await freePort()
    const password = randomBytes(24).toString('hex')
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`
    const data = await home.makeFolder('data')
    const passwordFile = await home.write('password', password)
    await home.run(`${BINARIES}/initdb`, [
      ...['-D', data, '-U', USER, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'],
      ...['-E', 'UTF8', '--locale=C', '--no-instructions', '--no-sync'],
    ])
    await unlink(passwordFile)
    const configuration = await home.write('postgresql.conf', settings(port))

    return {
      url,
      async boot() {
        await home.spawn(`${BINARIES}/postgres`, ['-D', data, `--config-file=${configuration}`])
        await home.until(() => selectOne(url))
      },
    }
  },
}

async function selectOne(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 })
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    await client.end()
  }
}

/** A PostgreSQL 15 cluster of the test's own; the user in its address may create databases. */
export function startPostgres(): Promise<RealServer> {
  return RealServer.start(recipe)
}
