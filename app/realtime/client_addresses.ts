import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

import { CONNECTION_LIMITS, ConnectionCount, exceedsLimit } from '#http/connection_limit'

/** Counts connections by the address of the client, which a trusted proxy names. */
export class ClientAddresses {
  readonly #connections = new ConnectionCount()

  hasRoom(request: IncomingMessage): boolean {
    const address = clientAddress(request)
    const present = { all: this.#connections.all, fromAddress: this.#connections.from(address) }
    return !exceedsLimit({ ...CONNECTION_LIMITS, isShared: () => false }, address, present)
  }

  /** Counts a connection until the returned function is called. */
  add(request: IncomingMessage): () => void {
    const address = clientAddress(request)
    this.#connections.add(address)
    return () => this.#connections.remove(address)
  }
}

/** The nearest address that is not a proxy's; the furthest proxy's where none names its client. */
function clientAddress({ headers, socket }: IncomingMessage): string {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  const hops = [
    socket.remoteAddress ?? '',
    ...forwarded
      .map((hop) => hop.trim())
      .filter(isIP)
      .toReversed(),
  ]
  return hops.find((hop) => !isProxy(hop)) ?? hops.at(-1)!
}

const isProxy = (address: string) => isIP(address) !== 0 && CONNECTION_LIMITS.isShared(address)
