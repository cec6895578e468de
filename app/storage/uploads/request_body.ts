import type { IncomingMessage } from 'node:http'

import { BadRequest } from '#kernel/failures'
import { markReleasable } from '#kernel/chunk_memory'
import { UploadStalled } from './incoming_file.js'

/** The client went away before all it had announced was there; there is no client left to read this. */
export class ClientDisconnected extends BadRequest {
  constructor() {
    super('The connection was closed before the upload was complete')
  }
}

const SILENCE_MS = 120_000
const DRAIN_SILENCE_MS = 2_000

/**
 * What a request sends, taken as it is needed. Unlike the request itself it can be left in the middle without cutting the
 * connection, on which the client still has to be told why.
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

  /** Aborts when the client goes away. */
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
   * Waits until all of it flowed off unread. A connection that is closed while more comes is reset, and with it the answer is
   * lost.
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

  /** Lets what is still to come flow off unread, so that the client gets to its answer. */
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
