import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { clock } from '#kernel/clock'

/** A request that is being answered. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Watched extends Exchange {
  bytes: number
  movedAt: number
}

/** How often it is looked whether anything moved, within the time that a silence may take. */
const LOOKS = 4

/** What is being answered: one request a connection. Those that stand still because of their sender are reported. */
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

  /** Returns false for a request that came before the last one was answered. Its connection is ended. */
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

/** Bytes that were received, and those that the other side has taken. */
const movedBytes = (socket: Socket): number =>
  socket.bytesRead + socket.bytesWritten - socket.writableLength

/** It has not sent all of its body, or does not read its answer. */
const waitsForSender = ({ request }: Exchange, socket: Socket): boolean =>
  (!request.complete && request.readableLength === 0) || socket.writableLength > 0
