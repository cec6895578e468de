import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'

import { freePort } from './free_port.js'
import type { Home } from './home.js'
import { PACKAGES } from './packages.js'
import { RealServer, type Recipe } from './real_server.js'

export interface RegistryAccess {
  readonly host: string
  readonly accountName: string
  readonly accountSecret: string
}

const ACCOUNT = 'builder'

/** Accounts are kept as bcrypt hashes, which perl of every Debian makes; the password goes through a pipe. */
const HASH = 'chomp($p = <STDIN>); print crypt($p, "\\$2y\\$05\\$" . "abcdefghijklmnopqrstuu")'

function recipe(access: { accountSecret: string; host: string }): Recipe {
  return {
    name: 'docker-registry',
    packages: PACKAGES.dockerRegistry,
    account: 'docker-registry',
    stopSignal: 'SIGTERM',
    async prepare(home) {
      const port = await freePort()
      access.host = `127.0.0.1:${port}`
      access.accountSecret = randomBytes(24).toString('hex')
      const url = `http://${access.host}/v2/`
      const data = await home.makeFolder('data')
      const accounts = await accountsFile(home, ACCOUNT, access.accountSecret)
      const configuration = await home.write(
        'registry.yml',
        JSON.stringify({
          version: 0.1,
          log: { level: 'warn', accesslog: { disabled: true } },
          storage: { filesystem: { rootdirectory: data }, delete: { enabled: true } },
          http: { addr: access.host, secret: randomBytes(16).toString('hex') },
          auth: { htpasswd: { realm: 'registry', path: accounts } },
        })
      )
      return {
        url,
        async boot() {
          await home.spawn('/usr/bin/docker-registry', ['serve', configuration])
          await home.until(() => registryAnswers(url))
        },
      }
    },
  }
}

export interface DockerRegistry {
  readonly server: RealServer
  readonly access: RegistryAccess
}

/** A registry of the test's own, with one account that may do everything. */
export async function startDockerRegistry(): Promise<DockerRegistry> {
  const access = { host: '', accountName: ACCOUNT, accountSecret: '' }
  const server = await RealServer.start(recipe(access))
  return { server, access }
}

/** One account in the form of htpasswd. */
export async function accountsFile(home: Home, name: string, password: string): Promise<string> {
  return home.write('accounts', `${name}:${await hashOf(password)}\n`)
}

function hashOf(password: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const perl = execFile('perl', ['-e', HASH], (error, stdout) => {
      if (error) {
        reject(error)
      } else {
        resolve(stdout)
      }
    })
    perl.stdin!.end(`${password}\n`)
  })
}

export function registryAnswers(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent: false, timeout: 1_000 }, (response) => {
      response.resume()
      resolve()
    })
    asking.on('error', reject)
    asking.end()
  })
}
