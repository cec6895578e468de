import { createHash } from 'node:crypto'

import { PayloadTooLarge, RequestTimeout } from '#kernel/failures'

/** The client sent nothing for too long. */
export class UploadStalled extends RequestTimeout {
  constructor(silenceMs: number) {
    super(
      `Nothing was sent for ${Math.round(silenceMs / 1000)} seconds, so the upload was cancelled`
    )
  }
}

/**
 * An incoming file: counts and digests its bytes, and detects a silent client. Time of the store does not count.
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

  /** Aborts when the client was silent for too long. */
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

  /** The SHA-256 of the file, in lower-case hexadecimal digits. Call it once, at the end. */
  digest(): string {
    return this.#hash.digest('hex')
  }

  end(): void {
    clearTimeout(this.#watch)
  }
}

/** Rejects a file above the maximum size; 0 means no limit. */
export function requireSize(size: number, maxBytes: number): void {
  if (maxBytes > 0 && size > maxBytes) {
    throw new PayloadTooLarge(`A file may have at most ${maxBytes} bytes`)
  }
}
