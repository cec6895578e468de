import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const PLAIN_ACCOUNT = { accountName: 'pusher', accountSecret: 'Pushes-1-image' }

/** How the registry authenticates callers. */
export type AuthScheme = 'basic' | 'token' | 'harbor' | 'token elsewhere' | 'zot'

const TOKEN = 'a-token'

/** A fake registry that is not Harbor: all paths outside of `/v2/` are 404 in plain text. */
export class PlainRegistryServer {
  readonly requests: string[] = []
  readonly #entry: AuthScheme
  readonly #server = createServer((request, response) => this.#handle(request, response))

  private constructor(entry: AuthScheme) {
    this.#entry = entry
  }

  static async start(entry: AuthScheme = 'basic'): Promise<PlainRegistryServer> {
    const registry = new PlainRegistryServer(entry)
    registry.#server.listen(0, '127.0.0.1')
    await once(registry.#server, 'listening')
    return registry
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get access() {
    return { host: this.host, ...PLAIN_ACCOUNT }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url!, 'http://registry')
    this.requests.push(`${request.method} ${pathname}`)
    if (pathname === '/token') {
      response.writeHead(this.#isKnown(request) ? 200 : 401).end(JSON.stringify({ token: TOKEN }))
    } else if (pathname !== '/v2/' && this.#entry === 'zot') {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>zot</title>')
    } else if (pathname !== '/v2/') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n')
    } else {
      this.#respond(request, response)
    }
  }

  /** Zot serves HTML pages at other paths, and sends its version only to authenticated callers. */
  #respondAsZot(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isKnown(request)) {
      const headers = { 'docker-distribution-api-version': 'registry/2.0' }
      response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end()
      return
    }
    response
      .writeHead(401, {
        'www-authenticate': 'Basic realm="Authorization Required"',
        'content-type': 'application/json',
      })
      .end('{"errors":[{"code":"UNAUTHORIZED","message":"authentication required","detail":{}}]}')
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    if (this.#entry === 'zot') {
      return this.#respondAsZot(request, response)
    }
    response.setHeader('docker-distribution-api-version', 'registry/2.0')
    if (this.#entry === 'basic' && this.#isKnown(request)) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    } else {
      response.writeHead(401, { 'www-authenticate': this.#challenge() }).end('{"errors":[]}')
    }
  }

  #challenge(): string {
    const service = this.#entry === 'harbor' ? 'harbor-registry' : 'plain'
    const realm = this.#entry === 'token elsewhere' ? 'http://127.0.0.2:9' : `http://${this.host}`
    return this.#entry === 'basic'
      ? 'Basic realm="Registry"'
      : `Bearer realm="${realm}/token",service="${service}"`
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const { accountName, accountSecret } = PLAIN_ACCOUNT
    const account = Buffer.from(`${accountName}:${accountSecret}`).toString('base64')
    return headers.authorization === `Basic ${account}`
  }
}
