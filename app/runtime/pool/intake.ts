import type { Socket } from 'node:net'

import type { GracefulServer } from '#http/graceful_server'
import type { ToPrimary } from './messages.js'

const REPORT_AFTER_MS = 100

/** Accepts connections from the primary and reports how many there are. */
export class Intake {
  readonly #server: GracefulServer
  readonly #send: (message: ToPrimary) => void
  readonly #closed: string[] = []
  #report: NodeJS.Timeout | undefined

  constructor(server: GracefulServer, send: (message: ToPrimary) => void) {
    this.#server = server
    this.#send = send
    server.expectConnections()
  }

  /** Acknowledges each connection; the primary passes one that is never acknowledged to another process. */
  take(socket: Socket | undefined, address: string): void {
    if (socket && !this.#server.accept(socket)) {
      socket.destroy()
      return
    }
    const connections = this.#server.connectionCount
    this.#send({ type: 'took', connections, isOpen: socket !== undefined })
    socket?.once('close', () => this.#reportSoon(address))
  }

  #reportSoon(address: string): void {
    this.#closed.push(address)
    this.#report ??= setTimeout(() => {
      this.#report = undefined
      const closed = this.#closed.splice(0)
      this.#send({ type: 'has', connections: this.#server.connectionCount, closed })
    }, REPORT_AFTER_MS)
  }
}
