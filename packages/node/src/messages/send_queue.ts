import { randomUUID } from 'node:crypto'
import { mkdir, readFile, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

import { KeyedMutex } from '#kernel/keyed_mutex'

import { writeWhole } from '#node/files/write_whole'
import { HubRefusal, QueueFull } from '#node/errors'
import { retryRequests } from '#node/hub/retry_requests'
import type { Mailbox, NewMessage } from './mailbox.js'
import { QUEUE_LIMITS, type QueueLimits } from './queue_limits.js'

/** Called for a message that will never arrive, with the reason. */
export type OnRefusal = (message: NewMessage, error: HubRefusal) => void

interface Waiting {
  messages: number
  bytes: number
}

/**
 * Sends sealed messages of an analysis, in order for each recipient. A message is on disk until the hub has stored it,
 * so it survives a restart of the node and an outage of the hub.
 */
export class SendQueue {
  readonly #folder: string
  readonly #mailbox: Mailbox
  readonly #onRefusal: OnRefusal
  readonly #limits: QueueLimits
  /** The waiting messages by analysis. */
  readonly #waiting = new Map<string, Waiting>()
  readonly #recipients = new KeyedMutex()
  readonly #stopped = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  #sequence = 0

  private constructor(folder: string, mailbox: Mailbox, onRefusal: OnRefusal, limits: QueueLimits) {
    this.#limits = limits
    this.#folder = folder
    this.#mailbox = mailbox
    this.#onRefusal = onRefusal
  }

  /** Opens the queue in a folder and continues with its content. */
  static async open(
    folder: string,
    mailbox: Mailbox,
    onRefusal: OnRefusal,
    limits = QUEUE_LIMITS
  ): Promise<SendQueue> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const queue = new SendQueue(folder, mailbox, onRefusal, limits)
    const names = await readdir(folder)
    for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
      const text = await readFile(join(folder, name), 'utf8')
      const message = JSON.parse(text) as NewMessage
      queue.#enqueue(name, message, text.length)
    }
    for (const name of names.filter((one) => one.endsWith('.draft'))) {
      await unlink(join(folder, name))
    }
    return queue
  }

  /** Stores all messages of one analysis, or none if too many wait. Returns when they are on disk. */
  async add(messages: readonly NewMessage[]): Promise<void> {
    const entries = messages.map((message) => ({ message, text: JSON.stringify(message) }))
    this.#requireRoom(entries)
    for (const { message, text } of entries) {
      const name = this.#nextName()
      await writeWhole(join(this.#folder, name), text)
      this.#enqueue(name, message, text.length)
    }
  }

  /** Aborts the running requests. Unsent messages stay on disk. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#sending)
  }

  #requireRoom(entries: readonly { readonly message: NewMessage; readonly text: string }[]): void {
    const [first] = entries
    const waiting = this.#waitingOf(first?.message.analysisId ?? '')
    const bytes = entries.reduce((sum, { text }) => sum + text.length, waiting.bytes)
    if (waiting.messages + entries.length > this.#limits.messages || bytes > this.#limits.bytes) {
      throw new QueueFull('Too many messages of the analysis wait for the hub: send this one later')
    }
  }

  #waitingOf(analysisId: string): Waiting {
    return this.#waiting.get(analysisId) ?? { messages: 0, bytes: 0 }
  }

  #count({ analysisId }: NewMessage, messages: number, bytes: number): void {
    const waiting = this.#waitingOf(analysisId)
    const changed = { messages: waiting.messages + messages, bytes: waiting.bytes + bytes }
    if (changed.messages > 0) {
      this.#waiting.set(analysisId, changed)
    } else {
      this.#waiting.delete(analysisId)
    }
  }

  #enqueue(name: string, message: NewMessage, bytes: number): void {
    const { recipientClientId, analysisId } = message
    this.#count(message, 1, bytes)
    const key = `${analysisId} ${recipientClientId}`
    const sending = this.#recipients
      .run(key, () => this.#send(name, message))
      .finally(() => {
        this.#sending.delete(sending)
        this.#count(message, -1, -bytes)
      })
    this.#sending.add(sending)
  }

  /** Removes a message from disk after it was sent, or refused for good. */
  async #send(name: string, message: NewMessage): Promise<void> {
    try {
      await retryRequests(
        () => this.#mailbox.send(message),
        HubRefusal.isFinal,
        this.#stopped.signal
      )
    } catch (error) {
      if (!HubRefusal.isFinal(error)) {
        return
      }
      this.#onRefusal(message, error)
    }
    await unlink(join(this.#folder, name))
  }

  /** File names sort by time, also across restarts. */
  #nextName(): string {
    this.#sequence += 1
    const order = `${Date.now()}`.padStart(15, '0') + `${this.#sequence}`.padStart(9, '0')
    return `${order}-${randomUUID()}.json`
  }
}
