import { setTimeout as delay } from 'node:timers/promises'

import { ANSWER_LIMIT_MS, isOpen, type Client } from './client.js'
import { REFUSED } from './journal.js'
import type { Note } from './note.js'

const STEPS = 12
const PAUSE_AFTER_FAILURE_MS = 100

interface NodeWriterOptions {
  readonly client: Client
  /** What its nodes are called, in front of their numbers. */
  readonly name: string
  readonly pauseMs: number
  readonly stopping: AbortSignal
}

/**
 * Creates a node, renames it step by step, mostly deletes it, and begins anew. Now and then it asks for names that the
 * database refuses, at once or at the end of the transaction. What it gets no answer to may be done or not.
 */
export class NodeWriter {
  /** Confirmed changes. */
  readonly promised: Note[] = []
  /** Unexpected responses. */
  readonly surprises: string[] = []
  readonly #options: NodeWriterOptions
  #lives = 0

  constructor(options: NodeWriterOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    while (!this.#isStopping) {
      this.#lives++
      await this.#live(`${this.#options.name}-${this.#lives}`)
    }
  }

  get #isStopping(): boolean {
    return this.#options.stopping.aborted
  }

  async #live(life: string): Promise<void> {
    const id = await this.#write('created', 'POST', '/nodes', { name: `${life}-0` })
    if (id === undefined) {
      return
    }
    for (let step = 1; step <= STEPS && !this.#isStopping; step++) {
      const name = `${life}-${step}`
      const isRenamed = await this.#write('updated', 'POST', `/nodes/${id}`, { name })
      if (isRenamed && step % 4 === 0) {
        await this.#askInVain('/nodes', name)
        await this.#askInVain(`/nodes/${id}`, `${name}-${REFUSED}`)
      }
    }
    if (this.#lives % 3 > 0) {
      await this.#write('deleted', 'DELETE', `/nodes/${id}`)
    }
  }

  /** Resolves to the id of the node if its creation is confirmed. */
  async #write(
    change: string,
    method: 'POST' | 'DELETE',
    path: string,
    body?: object
  ): Promise<string | undefined> {
    const exchange = await this.#options.client.send(method, path, body)
    const { data, message } = exchange.body
    if (exchange.milliseconds > ANSWER_LIMIT_MS) {
      this.surprises.push(`${method} ${path} was not answered for ${ANSWER_LIMIT_MS / 1_000} s`)
    }
    if (isOpen(exchange)) {
      await delay(PAUSE_AFTER_FAILURE_MS)
    } else if (data) {
      this.promised.push({ record: data.id, change, label: data.name })
      await delay(this.#options.pauseMs)
    } else {
      this.surprises.push(`${method} ${path}: ${exchange.status} ${message}`)
    }
    return data?.id
  }

  async #askInVain(path: string, name: string): Promise<void> {
    const exchange = await this.#options.client.send('POST', path, { name })
    if (exchange.status !== 409 && !isOpen(exchange)) {
      this.surprises.push(`POST ${path} with the name ${name}: ${exchange.status}`)
    }
  }
}
