import type { Server } from 'node:http'
import { isIPv4, type Socket } from 'node:net'

import { createAdminServer, type Page } from './admin_server.js'
import { ADMIN, listen, portOf, requireFree, type Address } from './listen.js'
import { env } from '#start/env'

const EVERYWHERE = new Set(['0.0.0.0', '::'])
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

/** The additional address of health checks, if HEALTH_HOST differs from ADMIN_HOST. */
function healthAddress(): Address | undefined {
  const { HEALTH_HOST, ADMIN_HOST } = env
  const isElsewhere = HEALTH_HOST !== undefined && HEALTH_HOST !== ADMIN_HOST
  return isElsewhere && !EVERYWHERE.has(ADMIN_HOST)
    ? { ...ADMIN, host: HEALTH_HOST, hostVariable: 'HEALTH_HOST' }
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

  static async healthServer(pages?: Record<string, Page>): Promise<AdminPorts> {
    const health = healthAddress()
    if (health && EVERYWHERE.has(health.host)) {
      // A wildcard address cannot be bound beside a specific one, so the local address of each connection decides.
      const server = createAdminServer(pages, isAdminSide)
      await listen(server, health)
      return new AdminPorts([server])
    }
    const admin = createAdminServer(pages)
    await listen(admin, ADMIN)
    if (!health) {
      return new AdminPorts([admin])
    }
    const healthServer = createAdminServer(pages, () => false)
    await listen(healthServer, { ...health, port: portOf(admin) })
    return new AdminPorts([admin, healthServer])
  }

  /** Fails early if the port is in use. */
  static requireFree(): Promise<void> {
    return requireFree(ADMIN)
  }

  get number(): number {
    return portOf(this.#servers[0]!)
  }

  close(): void {
    this.#servers.forEach((server) => server.close())
  }
}

function isAdminSide({ localAddress = '' }: Socket): boolean {
  const plain = localAddress.replace(/^::ffff:/i, '')
  return LOOPBACK.test(ADMIN.host) || !isAddress(ADMIN.host)
    ? LOOPBACK.test(plain)
    : plain === ADMIN.host
}

const isAddress = (host: string): boolean => isIPv4(host) || host.includes(':')
