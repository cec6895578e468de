import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { clock } from '#kernel/clock'

/** A request in progress. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Watched extends Exchange {
  bytes: number
  movedAt: number
}

/** The number of checks for progress within the timeout. */
const LOOKS = 4

/** Tracks the requests in progress, one per connection. Reports requests that their sender stalls. */
export class Exchanges {
  readonly #open = new Map<Socket, Watched>()
  readonly #silenceMs: number
  readonly #onSilence: (exchange: Exchange) => void
  readonly #timer: NodeJS.Timeout

  constructor(silenceMs: number, onSilence: (exchange: Exchange) => void) {
    this.#silenceMs = silenceMs
    this.#onSilence = onSilence
    this.#timer = setInterval(() => this.#look(), silenceMs / LOOKS).unref()
  }

  /** Returns false for a pipelined request, whose connection is closed. */
  start(exchange: Exchange): boolean {
    const { socket } = exchange.request
    if (socket.destroyed || this.#open.has(socket)) {
      socket.destroy()
      return false
    }
    this.#open.set(socket, { ...exchange, bytes: movedBytes(socket), movedAt: clock.now() })
    exchange.response.once('close', () => this.#open.delete(socket))
    return true
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = clock.now()
    for (const [socket, exchange] of this.#open) {
      const bytes = movedBytes(socket)
      if (bytes !== exchange.bytes || !waitsForSender(exchange, socket)) {
        Object.assign(exchange, { bytes, movedAt: now })
      } else if (now - exchange.movedAt >= this.#silenceMs) {
        this.#onSilence(exchange)
      }
    }
  }
}

/** The received bytes, and the sent bytes that the other side has read. */
const movedBytes = (socket: Socket): number =>
  socket.bytesRead + socket.bytesWritten - socket.writableLength

/** Whether the client has not sent its whole body, or does not read the response. */
const waitsForSender = ({ request }: Exchange, socket: Socket): boolean =>
  (!request.complete && request.readableLength === 0) || socket.writableLength > 0
