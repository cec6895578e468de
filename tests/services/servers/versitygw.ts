import { randomBytes } from 'node:crypto'

import { freePort } from './free_port.js'
import { goProgram } from './go_program.js'
import type { Home } from './home.js'
import { RealServer, type Plan, type Recipe } from './real_server.js'

export const VERSITYGW = { from: 'github.com/versity/versitygw/cmd/versitygw', version: 'v1.8.0' }

const recipe: Recipe = {
  name: 'versitygw',
  packages: [],
  account: 'nobody',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const data = await home.makeFolder('data')
    return planVersitygw(home, newStoreAddress(`127.0.0.1:${await freePort()}`), data)
  },
}

/** No bucket is called so: the hub asks for one called health. */
const HEALTH = '/_health'

/** An address with new keys. */
export function newStoreAddress(host: string): string {
  const [accessKey, secretKey] = [randomBytes(10), randomBytes(20)].map((key) =>
    key.toString('hex')
  )
  return `http://${accessKey}:${secretKey}@${host}`
}

/** How a server is run at an address that has its keys, on a folder that others may serve, too. */
export async function planVersitygw(home: Home, url: string, data: string): Promise<Plan> {
  const program = await home.lay(await goProgram(VERSITYGW))
  const { host, origin, username, password } = new URL(url)
  const args = ['--port', host, '--quiet', '--health', HEALTH, 'posix', data]
  return {
    url,
    async boot() {
      await home.spawn(program, args, {
        ROOT_ACCESS_KEY_ID: username,
        ROOT_SECRET_ACCESS_KEY: password,
      })
      await home.until(() => fetch(`${origin}/`))
    },
  }
}

/** An S3 server without access control lists of objects; its address carries its keys. */
export const startVersitygw = (): Promise<RealServer> => RealServer.start(recipe)
