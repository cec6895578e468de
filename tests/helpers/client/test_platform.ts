import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>

/** A platform that issues tokens, and answers whoever has the newest one. */
export class TestPlatform {
  readonly requests: IncomingMessage[] = []
  /** How many tokens it issued. */
  issued = 0
  answer: Answer = (response) => sendJson(response, { data: 'answer' })
  #refused = 0
  #url = ''

  static async start(cleanup: (end: () => void) => void): Promise<TestPlatform> {
    const platform = new TestPlatform()
    const server = createServer((request, response) => void platform.#serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanup(() => {
      server.close()
      server.closeAllConnections()
    })
    platform.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return platform
  }

  get url(): string {
    return this.#url
  }

  /** The tokens that were issued until now are accepted no longer. */
  refuseTokens(): void {
    this.#refused = this.issued
  }

  /** The next token. */
  issue(): string {
    this.issued += 1
    return `secret-token-${this.issued}`
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/auth/token') {
      sendJson(response, { access_token: this.issue(), expires_in: 3600 })
    } else if (request.url?.includes('/.well-known/')) {
      sendJson(response, {}, 404)
    } else {
      this.requests.push(request)
      const [, issue = '0'] = /^Bearer secret-token-(\d+)$/.exec(authorizationOf(request)) ?? []
      await (Number(issue) > this.#refused ? this.answer(response, request) : refuse(response))
    }
  }
}

export const authorizationOf = ({ headers }: IncomingMessage): string => headers.authorization ?? ''

export function sendJson(
  response: ServerResponse,
  content: unknown,
  status = 200,
  headers: Record<string, string> = {}
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(content))
}

const refuse = (response: ServerResponse) =>
  sendJson(response, { code: 'token_invalid', message: 'The token is invalid' }, 401)
