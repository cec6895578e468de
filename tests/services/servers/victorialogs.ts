import { freePort } from './free_port.js'
import { goProgram } from './go_program.js'
import { RealServer, type Recipe } from './real_server.js'

const VICTORIALOGS = {
  from: 'github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs',
  version: 'v1.52.1',
}

const recipe: Recipe = {
  name: 'victorialogs',
  packages: [],
  account: 'nobody',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const program = await home.lay(await goProgram(VICTORIALOGS))
    const lines = await home.makeFolder('lines')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    return {
      url,
      async boot() {
        const args = [`-httpListenAddr=127.0.0.1:${port}`, `-storageDataPath=${lines}`]
        await home.spawn(program, [...args, '-delete.enable'])
        await home.until(() => fetch(`${url}/health`))
      },
    }
  },
}

/** A log store without access control. */
export const startVictoriaLogs = (): Promise<RealServer> => RealServer.start(recipe)
