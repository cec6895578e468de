import type { Delivery, DeliveryHistory, Subscription } from '#bus/bus'
import { BusUnavailable } from '#bus/errors'
import { serializeMessage, type Message } from '#bus/message'
import { currentTraceparent } from '#tracing/tracing'
import { storeDeadLetter } from './memory_dead_letters.js'

interface QueuedMessage {
  readonly position: number
  readonly id: string
  readonly bytes: Buffer
  readonly traceparent: string | undefined
  history: DeliveryHistory
  /** Whether it is being moved to the dead letters. A message with the same id that arrives now is a new one. */
  isDying: boolean
  readonly handled: PromiseWithResolvers<void>
}

interface MemoryConsumer {
  readonly subscription: Subscription
  readonly deliver: (delivery: Delivery) => Promise<void>
  readonly inFlight: Set<Promise<void>>
}

/** A queue in memory. It is not the store of its messages: the publisher retains each until it was handled. */
export class MemoryQueue {
  readonly #waiting: QueuedMessage[] = []
  readonly #entries = new Map<string, QueuedMessage>()
  readonly #consumers: MemoryConsumer[] = []
  #nextPosition = 0

  get hasConsumers(): boolean {
    return this.#consumers.length > 0
  }

  /** Resolves when a consumer has handled the message. Adding it again meanwhile returns the same promise. */
  add(message: Message): Promise<void> {
    const known = this.#entries.get(message.id)
    if (known && !known.isDying) {
      return known.handled.promise
    }
    const entry: QueuedMessage = {
      position: this.#nextPosition++,
      id: message.id,
      bytes: serializeMessage(message),
      traceparent: currentTraceparent(),
      history: 'unknown',
      isDying: false,
      handled: Promise.withResolvers(),
    }
    this.#entries.set(entry.id, entry)
    this.#waiting.push(entry)
    this.#dispatch()
    return entry.handled.promise
  }

  consume(
    subscription: Subscription,
    deliver: MemoryConsumer['deliver']
  ): { stop(): Promise<void> } {
    const consumer: MemoryConsumer = { subscription, deliver, inFlight: new Set() }
    this.#consumers.push(consumer)
    this.#dispatch()
    return {
      stop: async () => {
        const index = this.#consumers.indexOf(consumer)
        if (index !== -1) {
          this.#consumers.splice(index, 1)
        }
        await Promise.all(consumer.inFlight)
      },
    }
  }

  close(): void {
    this.#consumers.length = 0
    for (const { handled } of this.#entries.values()) {
      handled.reject(new BusUnavailable('the process is shutting down'))
    }
    this.#entries.clear()
    this.#waiting.length = 0
  }

  /** The first consumer gets all messages until it stops, like a single active consumer of a broker. */
  #dispatch(): void {
    const [consumer] = this.#consumers
    while (
      consumer &&
      this.#waiting.length > 0 &&
      consumer.inFlight.size < consumer.subscription.prefetch
    ) {
      const delivered = this.#deliver(consumer, this.#waiting.shift()!).finally(() => {
        consumer.inFlight.delete(delivered)
        this.#dispatch()
      })
      consumer.inFlight.add(delivered)
    }
  }

  async #deliver({ subscription, deliver }: MemoryConsumer, entry: QueuedMessage): Promise<void> {
    const { bytes, traceparent, history } = entry
    try {
      await deliver({
        bytes,
        traceparent,
        history,
        isLost: false,
        deadLetter: (cause) => {
          entry.isDying = true
          return storeDeadLetter(subscription, bytes, cause)
        },
      })
      this.#remove(entry)
      entry.handled.resolve()
    } catch {
      this.#requeue(entry)
    }
  }

  #remove(entry: QueuedMessage): void {
    if (this.#entries.get(entry.id) === entry) {
      this.#entries.delete(entry.id)
    }
  }

  #requeue(entry: QueuedMessage): void {
    if (this.#entries.get(entry.id) === entry) {
      entry.isDying = false
      const index = this.#waiting.findIndex(({ position }) => position > entry.position)
      this.#waiting.splice(index === -1 ? this.#waiting.length : index, 0, entry)
    } else {
      entry.handled.reject(new BusUnavailable('its consumer has stopped'))
    }
  }
}
