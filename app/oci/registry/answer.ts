import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

import { jsonIn } from '#kernel/json_in'

import { RegistryAway, RegistryConfused } from '#oci/errors'
import { isObject } from '#oci/manifest'

const LARGEST_TEXT = 1024 ** 2
const LARGEST_DROPPED = 64 * 1024

/** What was answered to one request; its body is read by whoever wants it, and has to be read or dropped. */
export class Answer {
  readonly url: URL
  readonly #response: IncomingMessage
  readonly #idleMs: number
  readonly #signal: AbortSignal | undefined

  constructor(url: URL, response: IncomingMessage, idleMs: number, signal?: AbortSignal) {
    this.url = url
    this.#response = response
    this.#idleMs = idleMs
    this.#signal = signal
  }

  get status(): number {
    return this.#response.statusCode!
  }

  get headers(): IncomingHttpHeaders {
    return this.#response.headers
  }

  header(name: string): string | undefined {
    const value = this.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  /** The address that a header names, relative to what was asked. */
  location(name = 'location'): URL | undefined {
    const value = this.header(name)
    return value === undefined ? undefined : (URL.parse(value, this.url.href) ?? undefined)
  }

  /** Lets the connection be used again, where what is left of the body is short. */
  drop(): void {
    let length = 0
    this.#response.on('error', () => {})
    this.#response.setTimeout(this.#idleMs, () => this.#response.destroy())
    this.#response.on('data', (piece: Buffer) => {
      length += piece.length
      if (length > LARGEST_DROPPED) {
        this.#response.destroy()
      }
    })
  }

  /** The body piece by piece. A reader may take its time, the registry may not. */
  async *body(): AsyncGenerator<Buffer, void, undefined> {
    const pieces = this.#response[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    try {
      for (;;) {
        const silence = setTimeout(() => this.#giveUp(), this.#idleMs)
        const { done, value } = await pieces.next().finally(() => clearTimeout(silence))
        if (done) {
          return
        }
        yield value
      }
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw error
    } finally {
      this.#response.destroy()
    }
  }

  /** The whole of a body that is short. */
  async bytes(atMost = LARGEST_TEXT): Promise<Buffer> {
    const pieces: Buffer[] = []
    let length = 0
    for await (const piece of this.body()) {
      length += piece.length
      if (length > atMost) {
        throw new RegistryConfused(`${this.url.host} answers with more than ${atMost} bytes`)
      }
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }

  async json(atMost?: number): Promise<Record<string, unknown> | undefined> {
    const bytes = await this.bytes(atMost)
    const said = jsonIn(bytes.toString())
    return isObject(said) ? said : undefined
  }

  #giveUp(): void {
    this.#response.destroy(
      new RegistryAway(`${this.url.host} was silent for ${this.#idleMs} ms within an answer`)
    )
  }
}
