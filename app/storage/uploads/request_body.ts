import type { IncomingMessage } from 'node:http'

import { BadRequest } from '#kernel/failures'
import { markReleasable } from '#kernel/chunk_memory'
import { UploadStalled } from './incoming_file.js'

/** The client disconnected before the end of the body; it does not see this error. */
export class ClientDisconnected extends BadRequest {
  constructor() {
    super('The connection was closed before the upload was complete')
  }
}

const SILENCE_MS = 120_000
const DRAIN_SILENCE_MS = 2_000

/**
 * Reads the body of a request on demand. Unlike the request itself, it can be abandoned without closing the
 * connection, which still has to carry the response.
 */
export class RequestBody {
  readonly #request: IncomingMessage
  readonly #silenceMs: number
  readonly #disconnected = new AbortController()
  #abortRead: (reason: unknown) => void = () => {}

  constructor(request: IncomingMessage, silenceMs = SILENCE_MS) {
    this.#request = request
    this.#silenceMs = silenceMs
    request.on('error', () => {})
    request.once('close', () => {
      if (!request.complete) {
        this.#disconnected.abort(new ClientDisconnected())
      }
    })
  }

  /** Aborts when the client disconnects. */
  get disconnected(): AbortSignal {
    return this.#disconnected.signal
  }

  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    while (!this.#request.readableEnded) {
      const chunk: Buffer | null = this.#request.read()
      if (chunk) {
        yield markReleasable(chunk)
      } else {
        await this.#waitForMore()
      }
    }
  }

  /**
   * Discards the remaining body and waits for its end. Closing a connection with unread data resets it, and the
   * response is lost.
   */
  async drained(): Promise<void> {
    this.release()
    if (this.#request.readableEnded || this.disconnected.aborted) {
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const silence = setTimeout(resolve, DRAIN_SILENCE_MS)
    this.#request.on('data', () => silence.refresh()).once('end', resolve)
    this.disconnected.addEventListener('abort', () => resolve())
    await promise
    clearTimeout(silence)
  }

  /** Discards the remaining body, so that the client gets to its response. */
  release(): void {
    this.#abortRead(new ClientDisconnected())
    this.#request.on('data', () => {})
    this.#request.resume()
  }

  async #waitForMore(): Promise<void> {
    this.#disconnected.signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const request = this.#request
    const onDisconnect = () => reject(this.#disconnected.signal.reason)
    const timer = setTimeout(() => reject(new UploadStalled(this.#silenceMs)), this.#silenceMs)
    this.#abortRead = reject
    this.#disconnected.signal.addEventListener('abort', onDisconnect)
    request.once('readable', resolve).once('end', resolve)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#disconnected.signal.removeEventListener('abort', onDisconnect)
      request.off('readable', resolve).off('end', resolve)
    }
  }
}
