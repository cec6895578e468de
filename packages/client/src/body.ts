/** What a body may be: a server that is broken or hostile must not fill memory or disk, or hold its reader for ever. */
export interface BodyBounds {
  readonly maxBytes?: number
  /** The least rate is measured over windows of this length. */
  readonly windowMs?: number
}

/** A body that cannot be used: it is too long, too slow, broke off, or is not JSON. */
export class BodyUnusable extends Error {
  constructor(
    readonly problem: 'tooLong' | 'tooSlow' | 'brokeOff' | 'notJson',
    /** What the server did. */
    readonly reason: string,
    options?: ErrorOptions
  ) {
    super(`The server ${reason}`, options)
  }
}

const MAX_TEXT_BYTES = 64 * 1024 ** 2
const WINDOW_MS = 60_000
const LEAST_BYTES_PER_SECOND = 1024

/** Passes the chunks of a body on until it is too long or too slow. */
export async function* boundedBody(
  body: ReadableStream<Uint8Array>,
  { maxBytes = Infinity, windowMs = WINDOW_MS }: BodyBounds = {}
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const rate = new LeastRate(windowMs)
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await rate.watch(reader.read())
      if (done) {
        return
      }
      bytes += value.byteLength
      if (bytes > maxBytes) {
        throw new BodyUnusable('tooLong', `sent more than the ${maxBytes} bytes expected`)
      }
      rate.count(value.byteLength)
      yield value
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
}

/** The text of a body that is buffered in memory. */
export async function readText(
  { body }: Pick<Response, 'body'>,
  { maxBytes = MAX_TEXT_BYTES, ...bounds }: BodyBounds = {}
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ? boundedBody(body, { maxBytes, ...bounds }) : []) {
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** The JSON of a body; undefined if it is empty. */
export async function readJson<T>(
  response: Pick<Response, 'body'>,
  bounds?: BodyBounds
): Promise<T> {
  const text = await readText(response, bounds)
  try {
    return (text === '' ? undefined : JSON.parse(text)) as T
  } catch {
    throw new BodyUnusable('notJson', 'sent something else than JSON')
  }
}

/** Fails a read while less arrives in a window than the least rate. The time that the reader takes does not count. */
class LeastRate {
  readonly #windowMs: number
  readonly #leastBytes: number
  #bytes = 0
  #waitedMs = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
    this.#leastBytes = (LEAST_BYTES_PER_SECOND * windowMs) / 1000
  }

  async watch<T>(read: Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const tooSlow = Promise.withResolvers<never>()
    const timer = setTimeout(() => tooSlow.reject(this.#failure()), this.#windowMs - this.#waitedMs)
    try {
      return await Promise.race([read.catch(brokeOff), tooSlow.promise])
    } finally {
      clearTimeout(timer)
      this.#waitedMs += performance.now() - startedAt
    }
  }

  count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes >= this.#leastBytes) {
      this.#bytes = 0
      this.#waitedMs = 0
    } else if (this.#waitedMs >= this.#windowMs) {
      throw this.#failure()
    }
  }

  #failure(): BodyUnusable {
    const window = `${this.#leastBytes} bytes in ${this.#windowMs / 1000} s`
    return new BodyUnusable('tooSlow', `sent less than ${window}`)
  }
}

/** A lost connection is one failure, whatever the platform calls it; what was cancelled stays so. */
function brokeOff(error: Error): never {
  const isCancelled = error.name === 'AbortError' || error.name === 'TimeoutError'
  throw isCancelled
    ? error
    : new BodyUnusable('brokeOff', `broke its answer off: ${error.message}`, { cause: error })
}
