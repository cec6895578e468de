import { randomUUID } from 'node:crypto'
import { mkdir, readFile, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

import { KeyedMutex } from '#kernel/keyed_mutex'

import { writeWhole } from '#node/files/write_whole'
import { HubRefusal } from '#node/errors'
import { retryRequests } from '#node/hub/retry_requests'
import type { Mailbox, NewMessage } from './mailbox.js'

/** Told of a message that will never arrive, and why. */
export type OnRefusal = (message: NewMessage, error: HubRefusal) => void

/**
 * Sends sealed messages in the order in which they were added, to each recipient for itself. A message that was added
 * is on disk until the hub has it, so that it outlives this process and an absence of the hub.
 */
export class SendQueue {
  readonly #folder: string
  readonly #mailbox: Mailbox
  readonly #onRefusal: OnRefusal
  readonly #recipients = new KeyedMutex()
  readonly #stopped = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  #sequence = 0

  private constructor(folder: string, mailbox: Mailbox, onRefusal: OnRefusal) {
    this.#folder = folder
    this.#mailbox = mailbox
    this.#onRefusal = onRefusal
  }

  /** Opens the queue in a folder and continues with what is in it. */
  static async open(folder: string, mailbox: Mailbox, onRefusal: OnRefusal): Promise<SendQueue> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const queue = new SendQueue(folder, mailbox, onRefusal)
    const names = await readdir(folder)
    for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
      const message = JSON.parse(await readFile(join(folder, name), 'utf8')) as NewMessage
      queue.#enqueue(name, message)
    }
    return queue
  }

  /** Returns when the message is on disk. */
  async add(message: NewMessage): Promise<void> {
    const name = this.#nextName()
    await writeWhole(join(this.#folder, name), JSON.stringify(message))
    this.#enqueue(name, message)
  }

  /** Ends the running requests. What was not sent stays on disk. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#sending)
  }

  #enqueue(name: string, message: NewMessage): void {
    const sending = this.#recipients.run(message.recipientClientId, () => this.#send(name, message))
    this.#sending.add(sending)
    void sending.finally(() => this.#sending.delete(sending))
  }

  /** A message that was sent, or refused for good, leaves the disk. */
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

  /** Names sort by time, also over restarts. */
  #nextName(): string {
    this.#sequence += 1
    const order = `${Date.now()}`.padStart(15, '0') + `${this.#sequence}`.padStart(9, '0')
    return `${order}-${randomUUID()}.json`
  }
}
