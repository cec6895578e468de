import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

import { freePort } from '#tests/services/servers/free_port'

/** Forwards connections to a port of this machine, counts them, and can go away. */
export class CountingProxy {
  readonly port: number
  readonly #target: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #count = 0
  #isAway = false

  static async to(target: number): Promise<CountingProxy> {
    const proxy = new CountingProxy(await freePort(), target)
    proxy.#server.listen(proxy.port, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  private constructor(port: number, target: number) {
    this.port = port
    this.#target = target
    this.#server = createServer((socket) => this.#accept(socket))
  }

  /** The connections that were attempted. */
  get count(): number {
    return this.#count
  }

  /** Ends all connections, and each further one at once. */
  goAway(): void {
    this.#isAway = true
    this.#sockets.forEach((socket) => socket.destroy())
  }

  comeBack(): void {
    this.#isAway = false
  }

  async close(): Promise<void> {
    this.goAway()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(socket: Socket): void {
    this.#count += 1
    if (this.#isAway) {
      socket.destroy()
      return
    }
    const server = connect(this.#target, '127.0.0.1')
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      this.#sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
}
