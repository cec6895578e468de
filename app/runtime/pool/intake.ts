import type { Socket } from 'node:net'

import type { GentleServer } from '#http/gentle_server'
import type { ToPrimary } from '#runtime/pool/messages'

const REPORT_AFTER_MS = 100

/**
 * Takes over the connections that the primary gives to this process, and keeps it informed of how many there are.
 */
export class Intake {
  readonly #server: GentleServer
  readonly #send: (message: ToPrimary) => void
  #report: NodeJS.Timeout | undefined

  constructor(server: GentleServer, send: (message: ToPrimary) => void) {
    this.#server = server
    this.#send = send
    server.expectConnections()
  }

  /** The primary keeps a connection until it hears that it was taken, and gives it to another process if it never does. */
  take(socket: Socket | undefined): void {
    if (socket && !this.#server.take(socket)) {
      socket.destroy()
      return
    }
    this.#send({ type: 'took', connections: this.#server.connectionCount })
    socket?.once('close', () => this.#reportSoon())
  }

  #reportSoon(): void {
    this.#report ??= setTimeout(() => {
      this.#report = undefined
      this.#send({ type: 'has', connections: this.#server.connectionCount })
    }, REPORT_AFTER_MS)
  }
}
