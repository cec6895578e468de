import { io, type Socket } from 'socket.io-client'

import type { Change } from './topic.js'

/** A subscription: all records of a type, or one record. */
export interface Subscription {
  readonly type: string
  readonly id: string | undefined
}

interface ChangeSocketOptions {
  /** The address of core. */
  readonly url: string
  readonly token: string
  readonly subscriptions: readonly Subscription[]
  /** Called once when all subscriptions are answered, with the number of refused ones. */
  readonly onReady: (refused: number) => void
  readonly onChange: (change: Change) => void
  /** Called once, when the socket has closed for any reason. */
  readonly onClose: () => void
}

const NAMESPACE = '/resources'
const CHANGE = /^(\w+?)(?:Created|Updated|Deleted)$/

/** A connection to the public sockets of core with the token of a user (docs/realtime.md). */
export class ChangeSocket {
  readonly #options: ChangeSocketOptions
  readonly #socket: Socket
  #isClosed = false

  constructor(options: ChangeSocketOptions) {
    const { url, token } = options
    const { origin, pathname } = new URL(url)
    this.#options = options
    this.#socket = io(`${origin}${NAMESPACE}`, {
      path: `${pathname.replace(/\/$/, '')}/socket.io/`,
      auth: { token },
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
    })
    this.#socket.onAny((event: string, body: unknown) => this.#notify(event, body))
    this.#socket.once('connect', () => void this.#subscribe())
    this.#socket.once('connect_error', () => this.close())
    this.#socket.once('disconnect', () => this.close())
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#socket.disconnect()
      this.#options.onClose()
    }
  }

  /** Waits for all answers; a failure is an answer, too. */
  async #subscribe(): Promise<void> {
    const { subscriptions, onReady } = this.#options
    const failures = await Promise.all(subscriptions.map((one) => this.#ask(one)))
    onReady(failures.filter(Boolean).length)
  }

  #ask({ type, id }: Subscription): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    this.#socket.emit(`${type}Subscribe`, ...(id === undefined ? [] : [id]), resolve)
    return promise
  }

  #notify(event: string, body: unknown): void {
    const [, type] = CHANGE.exec(event) ?? []
    const { data, meta } = (body ?? {}) as {
      data?: Record<string, unknown>
      meta?: { refId?: unknown }
    }
    if (type !== undefined) {
      this.#options.onChange({ type, id: meta?.refId ?? data?.id, data: data ?? {} })
    }
  }
}
