import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

export interface PassedRequest {
  readonly method: string
  readonly path: string
  readonly traceparent: string | undefined
}

/** Passes requests on to a server of this machine, and keeps what traces are recognized by. */
export class RecordingProxy {
  readonly passed: PassedRequest[] = []
  readonly #target: string
  readonly #server = createServer((request, response) => {
    this.#pass(request, response).catch(() => response.destroy())
  })

  static async before(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  private constructor(target: string) {
    this.#target = target
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const { traceparent } = headers
    this.passed.push({ method, path: url, traceparent: traceparent as string | undefined })
    const outgoing = send(`http://${this.#target}${url}`, { method, headers, agent: false })
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
    const [[answer]] = await Promise.all([answered, pipeline(request, outgoing)])
    response.writeHead(answer.statusCode!, answer.headers)
    await pipeline(answer, response)
  }
}
