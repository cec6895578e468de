import { exampleFor } from './example.js'
import type { Host } from './network.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'

const PORT = 8080

const recipe = (host: Host): Recipe => ({
  name: 'haproxy',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const example = await exampleFor('haproxy.cfg', { host: host.name, password: '' })
    const configuration = await home.write('haproxy.cfg', example)
    const url = `http://${host.name}:${PORT}`
    return {
      url,
      async boot() {
        await home.spawn('/usr/sbin/haproxy', ['-db', '-f', configuration])
        await home.until(() => fetch(url))
      },
    }
  },
})

/** HAProxy in front of the hubs and the hosts of the S3 server. */
export const startBalancer = (host: Host): Promise<Unit> => startUnit(host, recipe(host))
