import type { Bus } from '#bus/bus'
import { DeliveryAbandoned } from '#bus/errors'
import { newMessage, type Message } from '#bus/message'
import { eventRouting } from '#bus/names'
import { sleep, jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import type { Component } from './components.js'

const RETRY_PAUSES: BackoffPolicy = { firstMs: 100, longestMs: 2_000 }

/** Publishes the events of a command in order, with its metadata. */
export class JobEventPublisher {
  readonly #bus: Pick<Bus, 'publish'>
  readonly #component: Component
  readonly #command: Message
  readonly #signal: AbortSignal
  #previous: Promise<void> = Promise.resolve()

  /** After the signal is aborted, nothing is published. */
  constructor(
    bus: Pick<Bus, 'publish'>,
    component: Component,
    command: Message,
    signal: AbortSignal
  ) {
    this.#bus = bus
    this.#component = component
    this.#command = command
    this.#signal = signal
  }

  /** Resolves when the bus has this event and all earlier ones. Rejects if the command is released first. */
  publish(event: string, data: object): Promise<void> {
    const { metadata } = this.#command
    const message = newMessage(
      eventRouting(this.#component.events),
      event,
      { ...data },
      { ...metadata, persistent: true }
    )
    const published = this.#previous.then(() => this.#publish(message))
    this.#previous = published.catch(() => {})
    return published
  }

  async #publish(message: Message): Promise<void> {
    for (let failures = 1; ; failures++) {
      if (this.#signal.aborted) {
        throw new DeliveryAbandoned()
      }
      try {
        return await this.#unlessReleased(this.#bus.publish(message, String(message.data.id)))
      } catch (error) {
        if (error instanceof DeliveryAbandoned) {
          throw error
        }
        await sleep(jitteredBackoff(failures, RETRY_PAUSES), this.#signal)
      }
    }
  }

  /** An in-memory bus confirms a message when it was handled, which may never happen. */
  async #unlessReleased(published: Promise<void>): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>()
    const release = () => reject(new DeliveryAbandoned())
    this.#signal.addEventListener('abort', release, { once: true })
    try {
      await Promise.race([published, promise])
    } finally {
      this.#signal.removeEventListener('abort', release)
    }
  }
}
