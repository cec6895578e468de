import { randomBytes } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'

import pg from 'pg'

import { freePort } from './free_port.js'
import type { Home } from './home.js'
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

const recipe = (primary?: RealServer): Recipe => ({
  name: 'postgres',
  packages: PACKAGES.postgres,
  account: 'postgres',
  stopSignal: 'SIGINT',
  async prepare(home) {
    const port = await freePort()
    const password = primary ? new URL(primary.url).password : randomBytes(24).toString('hex')
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`
    const data = await home.makeFolder('data')
    await (primary ? copyPrimary(home, data, primary) : initialize(home, data, password))
    const configuration = await home.write('postgresql.conf', settings(port))

    return {
      url,
      async boot() {
        await home.spawn(`${BINARIES}/postgres`, ['-D', data, `--config-file=${configuration}`])
        await home.until(() => selectOne(url))
      },
    }
  },
})

async function initialize(home: Home, data: string, password: string): Promise<void> {
  const passwordFile = await home.write('password', password)
  await home.run(`${BINARIES}/initdb`, [
    ...['-D', data, '-U', USER, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'],
    ...['-E', 'UTF8', '--locale=C', '--no-instructions', '--no-sync'],
  ])
  await unlink(passwordFile)
}

/** The copy streams from the primary when it starts. */
async function copyPrimary(home: Home, data: string, primary: RealServer): Promise<void> {
  const { port, password } = new URL(primary.url)
  const source = ['-h', '127.0.0.1', '-p', port, '-U', USER]
  const how = ['-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
  await home.run(`${BINARIES}/pg_basebackup`, [...source, ...how], { PGPASSWORD: password })
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

/** Runs a statement on a server, over a connection of its own. */
export async function runOn({ url }: RealServer, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A PostgreSQL 15 cluster of the test's own; the user in its address may create databases. */
export function startPostgres(): Promise<RealServer> {
  return RealServer.start(recipe())
}

/** A standby that streams from a primary, with the same user and password. */
export function startStandby(primary: RealServer): Promise<RealServer> {
  return RealServer.start(recipe(primary))
}

export async function promote(standby: RealServer): Promise<void> {
  await standby.run(`${BINARIES}/pg_ctl`, ['promote', '-w', '-D', join(standby.folder, 'data')])
}

/** The next start is that of a standby, which waits for a primary that it does not know. */
export async function demote(server: RealServer): Promise<void> {
  await server.run('/usr/bin/touch', [join(server.folder, 'data', 'standby.signal')])
}
