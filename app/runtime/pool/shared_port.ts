import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

import http from '#config/http'
import { exceedsLimit, type ConnectionLimits } from '#http/connection_limit'
import { listen, type Address } from '#runtime/listen'
import { addressOf, type Member } from './member.js'

/** Limits of connections that wait while no member is available. */
const MOST_WAITING = 4_096
const WAIT_LIMIT_MS = 30_000

/**
 * The port of a pool. The primary accepts connections and passes each to the member with the fewest.
 *
 * node:cluster loses a connection whose worker is killed before it accepts it, and closes the port with the last
 * worker. Here such a connection is passed to another member, or waits for one.
 */
export class SharedPort {
  readonly #server: Server
  readonly #limits: ConnectionLimits
  readonly #members = new Set<Member>()
  /** All members with connections, including those that drain. */
  readonly #alive = new Set<Member>()
  readonly #waiting = new Set<Socket>()

  static async open(address: Address): Promise<SharedPort> {
    const server = createServer({ pauseOnConnect: true, noDelay: true })
    const port = new SharedPort(server, http.connectionLimits)
    await listen(server, address)
    return port
  }

  constructor(server: Server, limits: ConnectionLimits) {
    this.#server = server
    this.#limits = limits
    this.#server.maxConnections = MOST_WAITING
    this.#server.on('connection', (socket) => {
      socket.on('error', () => {})
      if (this.#hasTooMany(addressOf(socket))) {
        socket.destroy()
        return
      }
      socket.setTimeout(WAIT_LIMIT_MS, () => socket.destroy())
      this.#distribute(socket)
    })
  }

  get number(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Passes connections to a member until it is dismissed or ends. */
  admit(member: Member): void {
    this.#members.add(member)
    this.#alive.add(member)
    void member.ended.then(() => {
      this.dismiss(member)
      this.#alive.delete(member)
      member.takeUndelivered().forEach((socket) => this.#distribute(socket))
    })
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    waiting.forEach((socket) => this.#distribute(socket))
  }

  dismiss(member: Member): void {
    this.#members.delete(member)
  }

  close(): void {
    this.#server.close()
    this.#waiting.forEach((socket) => socket.destroy())
  }

  #hasTooMany(address: string): boolean {
    const waiting = [...this.#waiting]
    const present = { all: waiting.length, fromAddress: 0 }
    present.fromAddress += waiting.filter((socket) => addressOf(socket) === address).length
    for (const member of this.#alive) {
      present.all += member.load
      present.fromAddress += member.loadFrom(address)
    }
    return exceedsLimit(this.#limits, address, present)
  }

  #distribute(socket: Socket): void {
    const [first, ...others] = this.#members
    if (first) {
      const member = others.reduce(
        (least, other) => (other.load < least.load ? other : least),
        first
      )
      this.#moveToEnd(member)
      member.offer(socket)
    } else {
      this.#waiting.add(socket)
      socket.once('close', () => this.#waiting.delete(socket))
    }
  }

  /** Members with equal load alternate. */
  #moveToEnd(member: Member): void {
    this.#members.delete(member)
    this.#members.add(member)
  }
}
