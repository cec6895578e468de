import { randomBytes } from 'node:crypto'

import { freePort } from './free_port.js'
import { goProgram } from './go_program.js'
import { RealServer, type Recipe } from './real_server.js'

const VERSITYGW = { from: 'github.com/versity/versitygw/cmd/versitygw', version: 'v1.8.0' }

const recipe: Recipe = {
  name: 'versitygw',
  packages: [],
  account: 'nobody',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const program = await home.lay(await goProgram(VERSITYGW))
    const data = await home.makeFolder('data')
    const port = await freePort()
    const accessKey = randomBytes(10).toString('hex')
    const secretKey = randomBytes(20).toString('hex')

    const args = ['posix', data]
    return {
      url: `http://${accessKey}:${secretKey}@127.0.0.1:${port}`,
      async boot() {
        await home.spawn(program, ['--port', `127.0.0.1:${port}`, '--quiet', ...args], {
          ROOT_ACCESS_KEY_ID: accessKey,
          ROOT_SECRET_ACCESS_KEY: secretKey,
        })
        await home.until(() => fetch(`http://127.0.0.1:${port}/`))
      },
    }
  },
}

/** An S3 server without access control lists of objects; its address carries its keys. */
export const startVersitygw = (): Promise<RealServer> => RealServer.start(recipe)
