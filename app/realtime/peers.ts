import { Server as HttpServer, request as ask, type IncomingMessage } from 'node:http'
import type { ServerResponse } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'

import { clock } from '#kernel/clock'

/** Who made a session stands at the beginning of its name. */
const SESSION = /[?&]sid=([0-9a-f]{16})\./
const HOP_BY_HOP_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding'])
/** Whoever closes a connection first may do so under what is still being written, and it is not the one who answers. */
const KEEP_ALIVE = { connection: 'keep-alive' }

/** What takes requests for sessions of this process. */
interface Receiver {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void
}

/**
 * The processes that share a port, as far as sockets go. A session lives in one of them, while its requests come over any
 * connection, one kept for other requests among them: a process that gets one that is not its own hands it to the process that the
 * name of the session names, over a socket in a folder of theirs.
 */
export class Peers {
  readonly #folder: string
  readonly #name: string
  readonly #id = clock.random(8).toString('hex')
  readonly #server = new HttpServer({ requestTimeout: 0 })
  readonly #forwarded = new Set<{ destroy(): void }>()

  /** The name tells sockets of several surfaces apart that share a folder. */
  constructor(folder: string, name: string) {
    this.#folder = folder
    this.#name = name
  }

  /** Takes what the others hand on, until it is closed. */
  async listen(receiver: Receiver): Promise<void> {
    this.#server.on('request', receiver.request)
    this.#server.on('upgrade', receiver.upgrade)
    this.#server.listen(this.#addressOf(this.#id))
    await once(this.#server, 'listening')
  }

  /** Gives up what was handed on: clients come back over other connections. */
  close(): void {
    this.#server.close()
    this.#forwarded.forEach((one) => one.destroy())
  }

  /** A name that cannot be guessed. */
  newSession(): string {
    return `${this.#id}.${clock.random(15).toString('base64url')}`
  }

  /** Where the session of a request lives, if that is another process. */
  addressFor({ url = '' }: IncomingMessage): string | undefined {
    const id = SESSION.exec(url)?.[1]
    return id === undefined || id === this.#id ? undefined : this.#addressOf(id)
  }

  /** Hands a request on. Where that process is gone, it is answered here: the session is unknown. */
  forwardRequest(
    address: string,
    request: IncomingMessage,
    response: ServerResponse,
    handleUnknownSession: () => void
  ): void {
    const { method, url: path } = request
    const headers = { ...request.headers, ...KEEP_ALIVE }
    const outgoing = ask({ socketPath: address, method, path, headers, agent: false })
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

  /** Hands a connection on that becomes a websocket. */
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

/** A request as it came: the library has checked that none of its parts holds an end of a line. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, n) =>
    rawHeaders.slice(2 * n, 2 * n + 2).join(': ')
  )
  return [`${method} ${url} HTTP/${httpVersion}`, ...pairs, '', ''].join('\r\n')
}
