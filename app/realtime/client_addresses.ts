import type { IncomingMessage } from 'node:http'

import { clientAddress } from '#http/client_address'
import { ConnectionCount, exceedsLimit } from '#http/connection_limit'
import { httpSettings } from '#http/http_settings'

/** Counts connections by the address of the client, which a trusted proxy names. */
export class ClientAddresses {
  readonly #connections = new ConnectionCount()

  hasRoom(request: IncomingMessage): boolean {
    const address = clientAddress(request)
    const present = { all: this.#connections.all, fromAddress: this.#connections.from(address) }
    const { connectionLimits } = httpSettings()
    return !exceedsLimit({ ...connectionLimits, isShared: () => false }, address, present)
  }

  /** Counts a connection until the returned function is called. */
  add(request: IncomingMessage): () => void {
    const address = clientAddress(request)
    this.#connections.add(address)
    return () => this.#connections.remove(address)
  }
}
