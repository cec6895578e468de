import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'

/** The code of an analysis as its node sees it: a server behind the socket into its container. */
export class StandInAnalysis {
  readonly messages: unknown[] = []
  readonly tokens: string[] = []
  /** Paths that it never answers, or to the end. */
  readonly silent = new Set<string>()
  readonly endless = new Set<string>()
  /** Requests that its node made at such a path, and those of them that it gave up. */
  requests = 0
  abandoned = 0
  status = 'executing'
  /** How often it answered how it is. */
  polls = 0
  onMessage: (message: unknown) => void = () => {}
  tokenSeconds = 3_600
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: Error) => response.destroy(error))
    })
  }

  static async listen(socket: string): Promise<StandInAnalysis> {
    const analysis = new StandInAnalysis()
    analysis.#server.listen(socket)
    await once(analysis.#server, 'listening')
    return analysis
  }

  /** Ends all connections, with the requests that it did not answer. */
  abandon(): void {
    this.#server.closeAllConnections()
  }

  async close(): Promise<void> {
    if (this.#server.listening) {
      const closed = once(this.#server, 'close')
      this.#server.close()
      this.#server.closeAllConnections()
      await closed
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.silent.has(request.url!)) {
      this.requests += 1
      response.on('close', () => (this.abandoned += 1))
      return
    }
    if (this.endless.has(request.url!)) {
      this.requests += 1
      const writing = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(writing))
      return
    }
    if (request.url === '/healthz') {
      this.polls += 1
      const health = { status: this.status, token_remaining_time: this.tokenSeconds }
      response.end(JSON.stringify(health))
      return
    }
    const body = (await json(request)) as { readonly token: string }
    if (request.url === '/webhook') {
      this.messages.push(body)
      this.onMessage(body)
    } else if (request.url === '/token_refresh') {
      this.tokens.push(body.token)
    }
    response.end('{}')
  }
}
