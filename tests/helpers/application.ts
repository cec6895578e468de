import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { Ignitor } from '@adonisjs/core'
import type { ApplicationService } from '@adonisjs/core/types'

import { Signals } from '#signals/signals'
import { Authenticator } from '#auth/authenticator'
import { HubAddresses } from '#console/hub_addresses'
import { Examinations } from '#core/administration/examinations'
import type { Served, SurfaceName } from '#configuration/surfaces'
import { provideTokens } from './actors.js'
import { fakeExaminations } from '#tests/helpers/console/fake_examinations'
import { testAuthenticator, testTokens } from './identities.js'

/** How surfaces are reached in a run: side by side on one port, or each at the root of a port of its own. */
export type Mounting = 'together' | 'alone'

interface Switches {
  /** Whether messenger has its socket relay. */
  readonly relay?: boolean
}

const APP_ROOT = new URL('../../', import.meta.url)

type Servers = ReadonlyMap<Served, Server>

let addresses: Partial<Record<Served | 'hub', string>> = {}

/** The address of a path of a surface, in the mounting that the running suite tests. */
export function at(surface: Served | 'hub', path = '/'): string {
  const base = addresses[surface]
  if (base === undefined) {
    throw new Error(`The ${surface} surface does not run in this suite`)
  }
  return base + path
}

/** Whether the running suite reaches surfaces side by side. */
export const isTogether = (): boolean => addresses.hub !== undefined

/**
 * Boots the application in this process for a suite; the returned function stops it.
 */
export async function mountedAs(
  mounting: Mounting,
  { relay = true }: Switches = {}
): Promise<() => Promise<void>> {
  const app = await boot()
  const servers = await serve(app, mounting)
  const closeRelay = relay ? await serveRelay(app, mounting, servers) : undefined
  return async () => {
    await closeRelay?.()
    addresses = {}
    for (const server of new Set(servers.values())) {
      server.close()
      server.closeAllConnections()
    }
  }
}

/** The console reaches the services at the ports of the suite. */
const testAddresses = () =>
  Object.assign(Object.create(HubAddresses.prototype) as HubAddresses, {
    of: (service: SurfaceName) => at(service, ''),
  })

/** The application of this process. It is booted once: its modules keep what was registered in them. */
let application: ApplicationService | undefined

export async function boot(): Promise<ApplicationService> {
  if (!application) {
    const { migrate } = await import('#database/migrator')
    const { SURFACE_NAMES } = await import('#configuration/surfaces')
    const { mountSurface } = await import('#http/mount')
    const { default: core } = await import('#core/routes')
    const { openSinks } = await import('./container.js')
    const { probeRoutes } = await import('#tests/helpers/http/probe_routes')
    application = new Ignitor(APP_ROOT, { importer: imported }).createApp('test')
    await application.init()
    await application.boot()
    await openSinks(application)
    application.container.singleton(Authenticator, () => testAuthenticator)
    application.container.singleton(HubAddresses, () => testAddresses())
    application.container.singleton(Examinations, () => fakeExaminations())
    provideTokens(testTokens)
    await migrate(application, SURFACE_NAMES)
    await application.start(() => {})
    mountSurface(await application.container.make('router'), { ...core, routes: probeRoutes })
  }
  return application
}

/** Tests that look at the database without an application have opened connections as well. */
export async function shutDown(): Promise<void> {
  await application?.terminate()
  const { pools } = await import('#database/pools')
  await pools.close()
}

const imported = (path: string) =>
  import(path.startsWith('./') ? new URL(path, APP_ROOT).href : path)

async function serve(app: ApplicationService, mounting: Mounting): Promise<Servers> {
  const { createListener } = await import('#http/listener')
  const { createRequestListener } = await import('#http/request_listener')
  const { drain } = await import('#kernel/drain')
  const { SERVED } = await import('#configuration/processes')
  const { SURFACE_PREFIXES } = await import('#configuration/surfaces')
  const handle = await createRequestListener(app)
  const open = async (prefix: string) => {
    const listener = createListener(handle, { prefix, drain }).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
    return { listener, address }
  }
  if (mounting === 'together') {
    const { listener, address } = await open('')
    addresses = { hub: address }
    for (const name of SERVED) {
      addresses[name] = address + SURFACE_PREFIXES[name]
    }
    return new Map(SERVED.map((name) => [name, listener]))
  }
  const opened = await Promise.all(SERVED.map((name) => open(SURFACE_PREFIXES[name])))
  addresses = Object.fromEntries(opened.map(({ address }, index) => [SERVED[index]!, address]))
  return new Map(opened.map(({ listener }, index) => [SERVED[index]!, listener]))
}

/** Puts the socket relay of messenger on its server, as a process of the platform does it. */
async function serveRelay(app: ApplicationService, mounting: Mounting, servers: Servers) {
  const { Drain } = await import('#kernel/drain')
  const { Relay } = await import('#messenger/relay/relay')
  const { Wakeups } = await import('#messenger/delivery/wakeups')
  const { RateLimiter } = await import('#http/rate_limiter')
  const drain = new Drain()
  const relay = await Relay.open({
    authenticator: testAuthenticator,
    drain,
    logger: await app.container.make('logger'),
    path: mounting === 'together' ? '/messenger/socket.io' : '/socket.io',
    signals: await app.container.make(Signals),
    wakeups: await app.container.make(Wakeups),
    limiter: await app.container.make(RateLimiter),
  })
  await relay.attach(servers.get('messenger')!)
  return () => drain.start()
}
