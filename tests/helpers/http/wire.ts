import { connect, type Socket } from 'node:net'
import { once } from 'node:events'

/** What takes longer than this hangs. */
const ANSWER_LIMIT_MS = 45_000
const END_OF_HEAD = Buffer.from('\r\n\r\n')

export interface WireAnswer {
  readonly status: number
  readonly body: Buffer
}

interface Waiting {
  resolve(answer: WireAnswer): void
  reject(error: Error): void
}

/**
 * One connection that is kept, on which one request follows the other: what a client costs at the least, since it shares the
 * processors with what it measures.
 */
export class Wire {
  readonly #socket: Socket
  #received: Buffer[] = []
  #length = 0
  #wanted = 0
  #waiting: Waiting | undefined

  static async open(origin: string): Promise<Wire> {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname).setNoDelay(true)
    await once(socket, 'connect')
    return new Wire(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', () => {})
    socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy())
    socket.on('close', () => this.#waiting?.reject(new Error('The connection was lost')))
  }

  /** Sends a request as it goes over the wire; those before it have to be answered. */
  ask(request: Buffer | string): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new Error('The connection was lost'))
        return
      }
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#wanted) {
      return
    }
    const all = this.#received.length === 1 ? chunk : Buffer.concat(this.#received)
    this.#received = [all]
    const end = all.indexOf(END_OF_HEAD)
    if (end === -1) {
      return
    }
    const head = all.toString('latin1', 0, end)
    const bodyAt = end + END_OF_HEAD.length
    this.#wanted = bodyAt + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    if (this.#length >= this.#wanted) {
      const answer = { status: Number(head.slice(9, 12)), body: all.subarray(bodyAt, this.#wanted) }
      this.#received = []
      this.#length = this.#wanted = 0
      this.#waiting?.resolve(answer)
    }
  }
}

export interface WireRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly token: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** A request as it goes over the wire. */
export function wireRequest({ method, path, token, headers = {}, body }: WireRequest): string {
  const all = {
    host: 'hub',
    authorization: `Bearer ${token}`,
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}
