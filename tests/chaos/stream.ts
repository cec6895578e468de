import { setTimeout as delay } from 'node:timers/promises'

import { Auditor } from './auditor.js'
import { Client, isOpen, type Exchange } from './client.js'
import { CommandWriter } from './command_writer.js'
import type { Journal } from './journal.js'
import { NodeWriter } from './node_writer.js'
import type { Note } from './note.js'

const WRITERS = 8
const POLL_INTERVAL_MS = 50

interface StreamOptions {
  readonly origin: string
  readonly journal: Journal
  /** What each writer waits after each of its writes. */
  readonly pauseMs: number
}

/**
 * Changes of many records at the same time, those of each in a known order, commands, and somebody who looks through the audit
 * trail meanwhile.
 */
export class Stream {
  readonly #client: Client
  readonly #stopping = new AbortController()
  readonly #writers: readonly NodeWriter[]
  readonly #auditor: Auditor
  readonly #running: Promise<unknown>

  static async start(options: StreamOptions): Promise<Stream> {
    return new Stream(await Client.signIn(options.origin), options)
  }

  private constructor(client: Client, { journal, pauseMs }: StreamOptions) {
    const stopping = this.#stopping.signal
    this.#client = client
    this.#writers = Array.from(
      { length: WRITERS },
      (_, number) => new NodeWriter({ client, name: `chaos-${number}`, pauseMs, stopping })
    )
    const commands = new CommandWriter({ journal, pauseMs, stopping })
    this.#auditor = new Auditor(client, stopping)
    const everybody = [...this.#writers, commands, this.#auditor]
    this.#running = Promise.all(everybody.map((each) => each.run()))
  }

  /** What was answered to be done. */
  get promised(): Note[] {
    return this.#writers.flatMap(({ promised }) => promised)
  }

  get surprises(): string[] {
    return [...this.#writers, this.#auditor].flatMap(({ surprises }) => surprises)
  }

  /** How many questions about the audit trail were answered. */
  get audits(): number {
    return this.#auditor.answered
  }

  /** What was answered, or given up, between two times of `performance.now()`. */
  exchanges(from: number, to = Infinity): Exchange[] {
    return this.#client.exchanges.filter(({ at, milliseconds }) => {
      const end = at + milliseconds
      return end >= from && end < to
    })
  }

  /** The failed ones, as text. */
  failures(from: number, to = Infinity): string[] {
    return this.exchanges(from, to)
      .filter(isOpen)
      .map(({ status, body, milliseconds }) => {
        return `${status ?? 'no answer'} after ${Math.round(milliseconds)} ms: ${body.message}`
      })
  }

  /** Whether a request is answered that ends after some time. */
  async isAnsweredAfter(time: number, withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs
    const isAnswered = () => !this.exchanges(time).every(isOpen)
    while (!isAnswered() && performance.now() < deadline) {
      await delay(POLL_INTERVAL_MS)
    }
    return isAnswered()
  }

  /** Lets the writes under way end. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }
}
