import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'

/** What a body may be: a hub that is broken or hostile must not fill memory or disk, or keep a command for ever. */
export interface BodyBounds {
  readonly maxBytes: number
  /** The least rate is measured over windows of this length. */
  readonly windowMs?: number
}

const WINDOW_MS = 60_000
const LEAST_BYTES_PER_SECOND = 1024

/** Passes the chunks of a body on until it is too long or too slow. */
export async function* boundedBody(
  body: ReadableStream<Uint8Array>,
  { maxBytes, windowMs = WINDOW_MS }: BodyBounds
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
        throw new Problem(
          EXIT.failed,
          `The platform sent more than the ${maxBytes} bytes expected.`
        )
      }
      rate.count(value.byteLength)
      yield value
    }
  } finally {
    rate.end()
    await reader.cancel().catch(() => {})
  }
}

const MAX_JSON_BYTES = 64 * 1024 ** 2

/** A body that is buffered in memory, such as JSON. */
export async function boundedText(
  { body }: Response,
  maxBytes: number = MAX_JSON_BYTES
): Promise<string> {
  if (!body) {
    return ''
  }
  return Buffer.concat(await Array.fromAsync(boundedBody(body, { maxBytes }))).toString()
}

export async function boundedJson<T>(response: Response, maxBytes?: number): Promise<T> {
  return JSON.parse(await boundedText(response, maxBytes)) as T
}

/** Fails a read while less arrives in a window than the least rate. The time that the reader takes does not count. */
class LeastRate {
  readonly #windowMs: number
  readonly #leastBytes: number
  #bytes = 0
  #waitedMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(windowMs: number) {
    this.#windowMs = windowMs
    this.#leastBytes = (LEAST_BYTES_PER_SECOND * windowMs) / 1000
  }

  async watch<T>(read: Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const tooSlow = new Promise<never>((_, reject) => {
      this.#timer = setTimeout(() => reject(this.#problem()), this.#windowMs - this.#waitedMs)
    })
    try {
      return await Promise.race([read, tooSlow])
    } finally {
      clearTimeout(this.#timer)
      this.#waitedMs += performance.now() - startedAt
    }
  }

  count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes >= this.#leastBytes) {
      this.#bytes = 0
      this.#waitedMs = 0
    } else if (this.#waitedMs >= this.#windowMs) {
      throw this.#problem()
    }
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #problem(): Problem {
    return new Problem(
      EXIT.unreachable,
      `The platform sent less than ${this.#leastBytes} bytes in ${this.#windowMs / 1000} s.`,
      ['Run the same command again.']
    )
  }
}
