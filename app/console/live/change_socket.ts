import type { Change } from './topic.js'

/** What to subscribe to: all records of a type, or one. */
export interface Subscription {
  readonly type: string
  readonly id: string | undefined
}

interface ChangeSocketOptions {
  /** The address of core. */
  readonly url: string
  readonly token: string
  readonly subscriptions: readonly Subscription[]
  /** Called once all subscriptions are answered, with how many were refused. */
  readonly onReady: (refused: number) => void
  readonly onChange: (change: Change) => void
  /** Called once, when the socket has closed for any reason. */
  readonly onClose: () => void
}

const NAMESPACE = '/resources'
const CHANGE = /^(\w+?)(?:Created|Updated|Deleted)$/
/** The number of an acknowledgement, and the JSON of a packet. */
const BODY = /^(\d*)(.*)$/s

/** Packets of Engine.IO 4, which carries those of Socket.IO 5 in its messages. */
const ENGINE = { open: '0', ping: '2', pong: '3' } as const
const PACKET = { connect: '40', event: '42', acknowledgement: '43' } as const

/**
 * A connection to the public sockets of core with the token of a user (docs/realtime.md). It speaks the few packets of
 * Socket.IO that a subscriber needs, over a websocket.
 */
export class ChangeSocket {
  readonly #options: ChangeSocketOptions
  readonly #socket: WebSocket
  #unanswered: number
  #refused = 0

  constructor(options: ChangeSocketOptions) {
    this.#options = options
    this.#unanswered = options.subscriptions.length
    const address = `${options.url}/socket.io/?EIO=4&transport=websocket`
    this.#socket = new WebSocket(address.replace(/^http/, 'ws'))
    this.#socket.addEventListener('message', ({ data }) => this.#receiveOrClose(String(data)))
    this.#socket.addEventListener('close', () => options.onClose(), { once: true })
  }

  close(): void {
    this.#socket.close()
  }

  /** What cannot be read must not end the process. */
  #receiveOrClose(text: string): void {
    try {
      this.#receive(text)
    } catch {
      this.close()
    }
  }

  #receive(text: string): void {
    if (text === ENGINE.ping) {
      this.#socket.send(ENGINE.pong)
    } else if (text.startsWith(ENGINE.open)) {
      this.#send(PACKET.connect, { token: this.#options.token })
    } else {
      this.#receivePacket(text.slice(0, 2), text.slice(2))
    }
  }

  /** Whatever is not about the namespace, or ends it, closes the connection. */
  #receivePacket(packet: string, rest: string): void {
    const prefix = `${NAMESPACE},`
    const [, , json = ''] = BODY.exec(rest.slice(prefix.length)) ?? []
    if (!rest.startsWith(prefix)) {
      this.close()
    } else if (packet === PACKET.connect) {
      this.#subscribe()
    } else if (packet === PACKET.acknowledgement) {
      this.#noteAnswer(JSON.parse(json) as unknown[])
    } else if (packet === PACKET.event) {
      this.#notify(JSON.parse(json) as unknown[])
    } else {
      this.close()
    }
  }

  #subscribe(): void {
    this.#options.subscriptions.forEach(({ type, id }, index) => {
      const event = `${type}Subscribe`
      this.#send(PACKET.event, id === undefined ? [event] : [event, id], String(index))
    })
    if (this.#unanswered === 0) {
      this.#options.onReady(0)
    }
  }

  #noteAnswer([failure]: unknown[]): void {
    this.#refused += failure ? 1 : 0
    this.#unanswered -= 1
    if (this.#unanswered === 0) {
      this.#options.onReady(this.#refused)
    }
  }

  #notify([event, body]: unknown[]): void {
    const [, type] = CHANGE.exec(String(event)) ?? []
    const { data, meta } = (body ?? {}) as {
      data?: Record<string, unknown>
      meta?: { refId?: unknown }
    }
    if (type !== undefined) {
      this.#options.onChange({ type, id: meta?.refId ?? data?.id, data: data ?? {} })
    }
  }

  #send(packet: string, content: unknown, acknowledgement = ''): void {
    this.#socket.send(`${packet}${NAMESPACE},${acknowledgement}${JSON.stringify(content)}`)
  }
}
