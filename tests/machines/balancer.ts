import type { Example } from './example.js'
import type { Host } from './network.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'

const PORT = 8080

const recipe = (host: Host, example: Example): Recipe => ({
  name: 'haproxy',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const settings = await example.file(host, 'haproxy.cfg')
    const configuration = await home.write('haproxy.cfg', settings)
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
export const startBalancer = (host: Host, example: Example): Promise<Unit> =>
  startUnit(host, recipe(host, example))
