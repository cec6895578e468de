import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

import { readBounded } from '#kernel/read_bounded'
import { tryParseJson } from '#kernel/try_parse_json'

import { RegistryUnavailable, RegistryResponseInvalid } from '#oci/errors'
import { isObject } from '#oci/manifest'

const MAX_TEXT_BYTES = 1024 ** 2
const MAX_DISCARDED_BYTES = 64 * 1024

/** A response whose body must be read or discarded. */
export class RegistryResponse {
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

  /** The URL in a header, resolved against the request URL. */
  location(name = 'location'): URL | undefined {
    const value = this.header(name)
    return value === undefined ? undefined : (URL.parse(value, this.url.href) ?? undefined)
  }

  /** Drains a short body, so that the connection can be reused. */
  discard(): void {
    let length = 0
    this.#response.on('error', () => {})
    this.#response.setTimeout(this.#idleMs, () => this.#response.destroy())
    this.#response.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > MAX_DISCARDED_BYTES) {
        this.#response.destroy()
      }
    })
  }

  /** The body in chunks. The idle timeout applies to the registry, not to the consumer. */
  async *body(): AsyncGenerator<Buffer, void, undefined> {
    const chunks = this.#response[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    try {
      for (;;) {
        const silence = setTimeout(() => this.#onSilence(), this.#idleMs)
        const { done, value } = await chunks.next().finally(() => clearTimeout(silence))
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

  /** Reads a short body in full. */
  bytes(maxBytes = MAX_TEXT_BYTES): Promise<Buffer> {
    const tooLarge = () =>
      new RegistryResponseInvalid(`${this.url.host} returned more than ${maxBytes} bytes`)
    return readBounded(this.body(), maxBytes, tooLarge)
  }

  async json(maxBytes?: number): Promise<Record<string, unknown> | undefined> {
    const bytes = await this.bytes(maxBytes)
    const content = tryParseJson(bytes.toString())
    return isObject(content) ? content : undefined
  }

  #onSilence(): void {
    this.#response.destroy(
      new RegistryUnavailable(
        `${this.url.host} sent nothing for ${this.#idleMs} ms within a response`
      )
    )
  }
}
