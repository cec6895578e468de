import { request } from 'node:http'
import { text } from 'node:stream/consumers'

const ANSWER_MS = 10_000
const PREFIX = 'http://analysis'

export interface Health {
  readonly status: string
  readonly token_remaining_time?: number
}

/** The HTTP server inside of the container, reached over a Unix socket. */
export class AnalysisProcess {
  readonly #socket: string

  constructor(socket: string) {
    this.#socket = socket
  }

  /** Hands a message over; throws if the analysis did not take it. */
  async deliver(message: string, signal: AbortSignal): Promise<void> {
    await this.#send('POST', '/webhook', message, signal)
  }

  async health(): Promise<Health> {
    return JSON.parse(await this.#send('GET', '/healthz')) as Health
  }

  async renewToken(token: string): Promise<void> {
    await this.#send('POST', '/token_refresh', JSON.stringify({ token }))
  }

  /** Says how the execution stands at the other nodes. */
  async reportPartners(statuses: Readonly<Record<string, string>>): Promise<void> {
    await this.#send('POST', '/partner_status', JSON.stringify({ partner_status: statuses }))
  }

  #send(method: string, path: string, body?: string, signal?: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const sending = request(
        PREFIX + path,
        {
          method,
          socketPath: this.#socket,
          timeout: ANSWER_MS,
          ...(body !== undefined && { headers: { 'content-type': 'application/json' } }),
          ...(signal && { signal }),
        },
        (response) => {
          const { statusCode = 0 } = response
          text(response).then((answer) => {
            if (statusCode >= 200 && statusCode < 300) {
              resolve(answer)
            } else {
              reject(new Error(`The analysis answered ${method} ${path} with status ${statusCode}`))
            }
          }, reject)
        }
      )
      sending.on('timeout', () => sending.destroy(new Error('The analysis does not answer')))
      sending.on('error', reject)
      sending.end(body)
    })
  }
}
