import { request, type IncomingMessage } from 'node:http'

import { readBounded } from '#kernel/read_bounded'

const ANSWER_MS = 10_000
export const MAX_ANSWER_BYTES = 64 * 1024
const PREFIX = 'http://analysis'

export interface Health {
  readonly status: string
  readonly token_remaining_time?: number
}

/** The HTTP server in the container, reached over a Unix socket. Its responses may be invalid, slow or missing. */
export class AnalysisProcess {
  readonly #socket: string

  constructor(socket: string) {
    this.#socket = socket
  }

  /** Delivers a message; throws if the analysis did not accept it. */
  async deliver(message: string, signal: AbortSignal): Promise<void> {
    await this.#send('POST', '/webhook', signal, message)
  }

  async health(signal: AbortSignal): Promise<Health> {
    return JSON.parse(await this.#send('GET', '/healthz', signal)) as Health
  }

  async renewToken(token: string, signal: AbortSignal): Promise<void> {
    await this.#send('POST', '/token_refresh', signal, JSON.stringify({ token }))
  }

  /** Reports the execution at the other nodes. */
  async reportPartners(
    statuses: Readonly<Record<string, string>>,
    signal: AbortSignal
  ): Promise<void> {
    await this.#send(
      'POST',
      '/partner_status',
      signal,
      JSON.stringify({ partner_status: statuses })
    )
  }

  #send(method: string, path: string, signal: AbortSignal, body?: string): Promise<string> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const sending = request(
      PREFIX + path,
      {
        method,
        socketPath: this.#socket,
        signal: limit,
        ...(body !== undefined && { headers: { 'content-type': 'application/json' } }),
      },
      (response) => {
        const { statusCode = 0 } = response
        if (statusCode < 200 || statusCode > 299) {
          response.destroy()
          reject(new Error(`The analysis answered ${method} ${path} with ${statusCode}`))
        } else {
          textOf(response).then(resolve, reject)
        }
      }
    )
    sending.on('error', reject)
    sending.end(body)
    return promise
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const tooLarge = () =>
    new Error(`An answer of the analysis has more than ${MAX_ANSWER_BYTES} bytes`)
  const bytes = await readBounded(response, MAX_ANSWER_BYTES, tooLarge)
  return bytes.toString('utf8')
}
