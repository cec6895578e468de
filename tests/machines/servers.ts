import { RealServer, type Recipe as AnyRecipe } from '#tests/services/servers/real_server'
import type { Host } from './network.js'
import { Unit } from './unit.js'

/** There is an account of this name and number in every Debian. */
const ACCOUNT = 'nobody'

/** How one kind of server is set up on hosts that have its program. */
export type Recipe = Omit<AnyRecipe, 'packages' | 'account'>

/** Starts a server on a host, where it is kept running. */
export async function startUnit(host: Host, recipe: Recipe): Promise<Unit> {
  const server = await RealServer.start(
    { ...recipe, packages: [], account: ACCOUNT },
    { commandPrefix: (takeAccount) => host.commandPrefix(takeAccount), parent: host.disk }
  )
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
