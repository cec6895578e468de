import { io, type Socket } from 'socket.io-client'

import { eventually } from '#tests/helpers/eventually'

/** A socket that subscribes to all nodes, and again after each reconnect. */
export class SocketListener {
  /** Connections after the first one. */
  reconnects = -1
  readonly surprises: string[] = []
  readonly #socket: Socket
  readonly #received = new Set<string>()

  constructor(origin: string, token: string) {
    this.#socket = io(`${origin}/resources`, {
      path: '/core/socket.io',
      transports: ['websocket'],
      auth: { token },
      forceNew: true,
    })
    this.#socket.on('connect', () => void this.#subscribe())
    this.#socket.on('nodeCreated', ({ data }: { data: { id: string } }) => {
      this.#received.add(data.id)
    })
  }

  get receivedCount(): number {
    return this.#received.size
  }

  /** Waits until it has received the creation of a node. */
  async receives(nodeId: string): Promise<boolean> {
    return eventually(() => this.#received.has(nodeId)).catch(() => false)
  }

  /** Waits until it is subscribed. */
  async isSubscribed(): Promise<void> {
    await eventually(() => this.reconnects >= 0)
  }

  close(): void {
    this.#socket.disconnect()
  }

  async #subscribe(): Promise<void> {
    try {
      const refusal: unknown = await this.#socket.timeout(20_000).emitWithAck('nodeSubscribe')
      if (refusal) {
        this.surprises.push(`the subscription was refused: ${JSON.stringify(refusal)}`)
      }
      this.reconnects++
    } catch {
      // The connection ended meanwhile; the next one subscribes.
    }
  }
}
