import { Server as HttpServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { ServerResponse } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'

import { clock } from '#kernel/clock'

/** Session ids start with the id of the process that made them. */
const SESSION = /[?&]sid=([0-9a-f]{16})\./
const HOP_BY_HOP_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding'])
/** The process that answers closes the connection; closing it earlier could cut off the response. */
const KEEP_ALIVE = { connection: 'keep-alive' }

/** Receives requests for sessions of this process. */
interface Receiver {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void
}

/**
 * The processes that share a port. A session lives in one process, but its requests arrive over any connection. A
 * process forwards requests of other sessions to the process that the session id names, over a Unix socket in a shared
 * folder.
 */
export class Peers {
  readonly #folder: string
  readonly #name: string
  readonly #id = clock.random(8).toString('hex')
  readonly #server = new HttpServer({ requestTimeout: 0 })
  readonly #forwarded = new Set<{ destroy(): void }>()

  /** The name distinguishes the sockets of several surfaces in one folder. */
  constructor(folder: string, name: string) {
    this.#folder = folder
    this.#name = name
  }

  /** Receives forwarded requests until it is closed. */
  async listen(receiver: Receiver): Promise<void> {
    this.#server.on('request', receiver.request)
    this.#server.on('upgrade', receiver.upgrade)
    this.#server.listen(this.#addressOf(this.#id))
    await once(this.#server, 'listening')
  }

  /** Closes forwarded connections. Clients reconnect. */
  close(): void {
    this.#server.close()
    this.#forwarded.forEach((one) => one.destroy())
  }

  /** A new session id that cannot be guessed. */
  newSession(): string {
    return `${this.#id}.${clock.random(15).toString('base64url')}`
  }

  /** The address of the process with the session of a request; undefined if it is this one. */
  addressFor({ url = '' }: IncomingMessage): string | undefined {
    const id = SESSION.exec(url)?.[1]
    return id === undefined || id === this.#id ? undefined : this.#addressOf(id)
  }

  /** Forwards a request. If the other process is missing, the session is unknown and the request is answered here. */
  forwardRequest(
    address: string,
    request: IncomingMessage,
    response: ServerResponse,
    handleUnknownSession: () => void
  ): void {
    const { method, url: path } = request
    const headers = { ...request.headers, ...KEEP_ALIVE }
    const outgoing = httpRequest({ socketPath: address, method, path, headers, agent: false })
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode!, endToEndHeaders(answer.headers))
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    })
    outgoing.once('error', () => {
      if (response.headersSent || response.destroyed) {
        response.destroy()
      } else {
        handleUnknownSession()
      }
    })
    request.pipe(outgoing)
    this.#track(response)
    response.once('close', () => outgoing.destroy())
  }

  /** Forwards a connection that becomes a websocket. */
  forwardUpgrade(address: string, request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const outgoing = connect(address)
    outgoing.once('connect', () => {
      outgoing.write(headOf(request))
      outgoing.write(head)
      stream.pipe(outgoing).pipe(stream)
    })
    outgoing.once('error', () => stream.destroy())
    outgoing.once('close', () => stream.destroy())
    stream.once('close', () => outgoing.destroy())
    this.#track(stream)
  }

  #addressOf(id: string): string {
    return join(this.#folder, `${this.#name}-${id}`)
  }

  #track(one: ServerResponse | Duplex): void {
    this.#forwarded.add(one)
    one.once('close', () => this.#forwarded.delete(one))
  }
}

function endToEndHeaders(headers: IncomingMessage['headers']) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP_HEADERS.has(name))
  )
}

/** The head of a request as it was received. Node.js has checked that no part contains a line break. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, n) =>
    rawHeaders.slice(2 * n, 2 * n + 2).join(': ')
  )
  return [`${method} ${url} HTTP/${httpVersion}`, ...pairs, '', ''].join('\r\n')
}
