import { createHash } from 'node:crypto'

import { PayloadTooLarge, RequestTimeout } from '#kernel/failures'

/** The client sent nothing for so long that its upload was given up. */
export class UploadStalled extends RequestTimeout {
  constructor(silenceMs: number) {
    super(
      `Nothing was sent for ${Math.round(silenceMs / 1000)} seconds, so the upload was given up`
    )
  }
}

/**
 * A file on its way from a client: counted, digested, and watched. Time that the store takes is not held against the client.
 */
export class IncomingFile {
  readonly #hash = createHash('sha256')
  readonly #maxBytes: number
  readonly #stalled = new AbortController()
  readonly #watch: NodeJS.Timeout
  #isClientsTurn = false
  #size = 0

  constructor(maxBytes: number, silenceMs: number) {
    this.#maxBytes = maxBytes
    this.#watch = setTimeout(() => {
      if (this.#isClientsTurn) {
        this.#stalled.abort(new UploadStalled(silenceMs))
      } else {
        this.#watch.refresh()
      }
    }, silenceMs).unref()
  }

  /** Aborts when the client has been silent for too long. */
  get stalled(): AbortSignal {
    return this.#stalled.signal
  }

  async *bytes(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    this.#isClientsTurn = true
    try {
      for await (const chunk of source) {
        this.#size += chunk.byteLength
        requireSize(this.#size, this.#maxBytes)
        this.#hash.update(chunk)
        this.#isClientsTurn = false
        yield chunk
        this.#isClientsTurn = true
        this.#watch.refresh()
      }
    } finally {
      this.#isClientsTurn = false
    }
  }

  /** The SHA-256 of what arrived, in lower-case hexadecimal digits; to be asked once, at the end. */
  digest(): string {
    return this.#hash.digest('hex')
  }

  end(): void {
    clearTimeout(this.#watch)
  }
}

/** Refuses a file that has more bytes than are allowed; 0 allows any number. */
export function requireSize(size: number, maxBytes: number): void {
  if (maxBytes > 0 && size > maxBytes) {
    throw new PayloadTooLarge(`A file may have at most ${maxBytes} bytes`)
  }
}
