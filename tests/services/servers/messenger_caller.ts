import { io, type Socket } from 'socket.io-client'

import { connected } from '#tests/helpers/realtime/sockets'

export interface WakeupCount {
  count: number
  isOver: boolean
}

/** Asks for things as one identity, each time over a connection of its own, which may lead to any process. */
export class MessengerCaller {
  readonly party: { readonly type: string; readonly id: string }
  readonly #origin: string
  readonly #token: string

  constructor(origin: string, token: string) {
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
    this.party = { type: claims.sub_kind, id: claims.sub }
    this.#origin = origin
    this.#token = token
  }

  /** The same identity, somewhere else. */
  at(origin: string): MessengerCaller {
    return new MessengerCaller(origin, this.#token)
  }

  async send(...recipients: { party: MessengerCaller['party'] }[]): Promise<string[]> {
    const to = recipients.map(({ party }) => party)
    const { data } = await this.#ask('POST', '/messages', { recipients: to })
    return data
  }

  async pull(wait = 0): Promise<string[]> {
    const { messages } = await this.#ask('GET', `/messages?wait=${wait}`)
    return messages.map(({ id }: { id: string }) => id)
  }

  acknowledge(ids: readonly string[]): Promise<unknown> {
    return this.#ask('POST', '/messages/ack', { ids })
  }

  /** How many wakeups a stream brings, until it is left. */
  async stream(signal: AbortSignal): Promise<WakeupCount> {
    const response = await fetch(`${this.#origin}/messenger/messages/stream`, {
      headers: this.#headers,
      signal,
    })
    const received: WakeupCount = { count: 0, isOver: false }
    const reading = async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        received.count += chunk.split('event: messagePending').length - 1
      }
    }
    reading()
      .catch(() => {})
      .finally(() => (received.isOver = true))
    return received
  }

  /** A socket of the relay, once it is connected. */
  connect(transports: string[] = ['websocket'], reconnection = false): Promise<Socket> {
    const socket = io(this.#origin, {
      path: '/messenger/socket.io',
      transports,
      auth: { token: this.#token },
      forceNew: true,
      reconnection,
    })
    return connected(socket)
  }

  get #headers() {
    return {
      'authorization': `Bearer ${this.#token}`,
      'connection': 'close',
      'content-type': 'application/json',
    }
  }

  async #ask(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${this.#origin}/messenger${path}`, {
      method,
      headers: this.#headers,
      body: body && JSON.stringify(body),
    })
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
}
