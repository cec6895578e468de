import { RealServer, type Recipe } from '#tests/services/servers/real_server'
import type { Host } from './network.js'
import { Unit } from './unit.js'

/** Starts a server on a host, where it is kept running. */
export async function startUnit(host: Host, recipe: Recipe): Promise<Unit> {
  const server = await RealServer.start(recipe, {
    commandPrefix: (takeAccount) => host.commandPrefix(takeAccount),
    parent: host.disk,
  })
  return new Unit(`${recipe.name} on ${host.name}`, host, {
    get isRunning() {
      return server.isRunning
    },
    start: () => server.restart(),
    askToEnd: () => server.askToEnd(),
    signal: (name) => server.signal(name),
    pause: () => server.pause(),
    remove: () => server.stop(),
  })
}
