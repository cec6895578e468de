import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'

import { StartFailure } from '#kernel/start_failure'
import type { Env } from '#configuration/variables'

export interface Address {
  host: string
  port: number
  /** The variable that sets the port, for error messages. */
  variable: 'PORT' | 'ADMIN_PORT'
  /** The variable that sets the host. */
  hostVariable: 'HOST' | 'ADMIN_HOST' | 'HEALTH_HOST'
}

/** The hosts that stand for every address of a machine. */
export const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

export const webAddress = ({ HOST, PORT }: Env): Address => ({
  host: HOST,
  port: PORT,
  variable: 'PORT',
  hostVariable: 'HOST',
})

export const adminAddress = ({ ADMIN_HOST, ADMIN_PORT }: Env): Address => ({
  host: ADMIN_HOST,
  port: ADMIN_PORT,
  variable: 'ADMIN_PORT',
  hostVariable: 'ADMIN_HOST',
})

/** Where a program of this machine asks the admin port. */
export function adminOrigin({ ADMIN_HOST, ADMIN_PORT }: Pick<Env, 'ADMIN_HOST' | 'ADMIN_PORT'>) {
  const host = EVERYWHERE.has(ADMIN_HOST) ? '127.0.0.1' : ADMIN_HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${ADMIN_PORT}`
}

/** Binds a server to its port; throws a `StartFailure` with advice if that fails. */
export async function listen(server: Server, address: Address): Promise<void> {
  try {
    server.listen(address.port, address.host)
    await once(server, 'listening')
  } catch (error) {
    throw asStartFailure(error as NodeJS.ErrnoException, address)
  }
}

/** Fails early if a port is in use, before anything else starts. */
export async function requireFree(address: Address): Promise<void> {
  const probe = createServer()
  await listen(probe, address)
  probe.close()
  await once(probe, 'close')
}

/** The port of a server, also if the system chose it. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function asStartFailure(
  error: NodeJS.ErrnoException,
  { host, port, variable, hostVariable }: Address
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return StartFailure.portTaken(port, variable)
    case 'EACCES':
      return new StartFailure(
        `Port ${port} may not be opened by this user: set ${variable} to a port above 1023.`
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartFailure(
        `This machine has no address ${host}: set ${hostVariable} to one that it has.`
      )
    default:
      return error
  }
}
