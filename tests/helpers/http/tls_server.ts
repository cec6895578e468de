import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const CONFIGURATION = `
[req]
distinguished_name = name
[name]
[ca]
default_ca = own
[own]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = hosts
[any]
commonName = supplied
[hosts]
subjectAltName = DNS:localhost,DNS:vm
`

/** A server whose certificate vouches for itself, and is good until a day. Answers its port, and how to stop it. */
export async function tlsServer(until: Date) {
  const folder = await mkdtemp(join(tmpdir(), 'hub-tls-'))
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder })
  await writeFile(join(folder, 'cnf'), CONFIGURATION)
  await writeFile(join(folder, 'index'), '')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  await openssl(
    'req',
    '-new',
    ...key,
    '-keyout',
    'key',
    '-out',
    'csr',
    '-subj',
    '/CN=localhost',
    '-config',
    'cnf'
  )
  const times = ['-startdate', '20200101000000Z', '-enddate', stamp(until)]
  await openssl(
    'ca',
    '-batch',
    '-notext',
    '-selfsign',
    '-config',
    'cnf',
    '-keyfile',
    'key',
    '-in',
    'csr',
    '-out',
    'crt',
    ...times
  )
  const server = createServer({
    key: await readFile(join(folder, 'key')),
    cert: await readFile(join(folder, 'crt')),
  })
  server.on('request', (_, response) => response.end('{}'))
  server.listen(0)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const stamp = (day: Date) => `${day.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`
