import { randomBytes } from 'node:crypto'

import { accountsFile, registryAnswers, type RegistryAccess } from './docker_registry.js'
import { freePort } from './free_port.js'
import { RealServer, type Recipe } from './real_server.js'

/** No registry of packages that tests may use has it: whoever has one names it. */
export const ZOT = process.env.ZOT_TEST_PROGRAM
export const ZOT_MISSING = 'ZOT_TEST_PROGRAM names no zot'

const ACCOUNT = 'builder'

function recipe(access: { accountSecret: string; host: string }): Recipe {
  return {
    name: 'zot',
    packages: [],
    account: 'nobody',
    stopSignal: 'SIGTERM',
    async prepare(home) {
      const port = await freePort()
      access.host = `127.0.0.1:${port}`
      access.accountSecret = randomBytes(24).toString('hex')
      const url = `http://${access.host}/v2/`
      const accounts = await accountsFile(home, ACCOUNT, access.accountSecret)
      const configuration = await home.write(
        'zot.json',
        JSON.stringify({
          storage: { rootDirectory: await home.makeFolder('data') },
          http: {
            address: '127.0.0.1',
            port: String(port),
            auth: { htpasswd: { path: accounts } },
            compat: ['docker2s2'],
          },
          log: { level: 'error' },
        })
      )
      const program = await home.lay(ZOT!)
      return {
        url,
        async boot() {
          await home.spawn(program, ['serve', configuration])
          await home.until(() => registryAnswers(url))
        },
      }
    },
  }
}

/** A zot of the test's own, with one account that may do everything. */
export async function startZot(): Promise<{ server: RealServer; access: RegistryAccess }> {
  const access = { host: '', accountName: ACCOUNT, accountSecret: '' }
  const server = await RealServer.start(recipe(access))
  return { server, access }
}
