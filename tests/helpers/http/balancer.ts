import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/**
 * A port behind which each connection reaches another one than the connection before, whatever goes over it. Where nothing listens any
 * more, the connection is closed.
 */
export class Balancer {
  #ports: number[] = []
  readonly #server = createServer((client) => {
    const behind = connect(this.#next(), '127.0.0.1')
    client.pipe(behind).pipe(client)
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  #turn = 0

  static async open(): Promise<Balancer> {
    const balancer = new Balancer()
    balancer.#server.listen(0, '127.0.0.1')
    await once(balancer.#server, 'listening')
    return balancer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Puts what listens at an address behind the port. */
  add(address: string): void {
    this.#ports.push(portOf(address))
  }

  remove(address: string): void {
    this.#ports = this.#ports.filter((port) => port !== portOf(address))
  }

  close(): void {
    this.#server.close()
  }

  #next(): number {
    return this.#ports[this.#turn++ % this.#ports.length]!
  }
}

const portOf = (address: string): number => Number(new URL(address).port)
