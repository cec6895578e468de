import type { Server } from 'node:http'
import { isIPv4, type Socket } from 'node:net'

import type { Env } from '#configuration/variables'
import { createAdminServer, type Page } from './admin_server.js'
import { adminAddress, EVERYWHERE, listen, portOf, requireFree, type Address } from './listen.js'

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

/** The additional address of health checks, if HEALTH_HOST differs from ADMIN_HOST. */
function healthAddress(env: Env): Address | undefined {
  const { HEALTH_HOST, ADMIN_HOST } = env
  const isElsewhere = HEALTH_HOST !== undefined && HEALTH_HOST !== ADMIN_HOST
  return isElsewhere && !EVERYWHERE.has(ADMIN_HOST)
    ? { ...adminAddress(env), host: HEALTH_HOST, hostVariable: 'HEALTH_HOST' }
    : undefined
}

/**
 * The admin port: health and metrics at ADMIN_HOST, and only health at HEALTH_HOST if that is another address.
 */
export class AdminPorts {
  readonly #servers: readonly Server[]

  private constructor(servers: readonly Server[]) {
    this.#servers = servers
  }

  static async healthServer(env: Env, pages?: Record<string, Page>): Promise<AdminPorts> {
    const address = adminAddress(env)
    const health = healthAddress(env)
    if (health && EVERYWHERE.has(health.host)) {
      // A wildcard address cannot be bound beside a specific one, so the local address of each connection decides.
      const server = createAdminServer(pages, (connection) => isAdminSide(connection, address.host))
      await listen(server, health)
      return new AdminPorts([server])
    }
    const admin = createAdminServer(pages)
    await listen(admin, address)
    if (!health) {
      return new AdminPorts([admin])
    }
    const healthServer = createAdminServer(pages, () => false)
    await listen(healthServer, { ...health, port: portOf(admin) })
    return new AdminPorts([admin, healthServer])
  }

  /** Fails early if the port is in use. */
  static requireFree(env: Env): Promise<void> {
    return requireFree(adminAddress(env))
  }

  get number(): number {
    return portOf(this.#servers[0]!)
  }

  close(): void {
    this.#servers.forEach((server) => server.close())
  }
}

function isAdminSide({ localAddress = '' }: Socket, adminHost: string): boolean {
  const plain = localAddress.replace(/^::ffff:/i, '')
  return LOOPBACK.test(adminHost) || !isAddress(adminHost)
    ? LOOPBACK.test(plain)
    : plain === adminHost
}

const isAddress = (host: string): boolean => isIPv4(host) || host.includes(':')
