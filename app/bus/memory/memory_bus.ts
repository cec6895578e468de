import type { Bus, Delivery, Subscription } from '#bus/bus'
import { BusUnavailable } from '#bus/errors'
import type { Message } from '#bus/message'
import { busMetrics } from '#bus/metrics'
import { MemoryQueue } from './memory_queue.js'

/**
 * The bus of a single-process installation. It is not durable and need not be: a message counts as published once it
 * was handled, so pending ones are published again after a restart.
 */
export class MemoryBus implements Bus {
  readonly #queues = new Map<string, MemoryQueue>()
  readonly #bindings = new Map<string, Set<string>>()
  #isClosed = false

  get isReady(): boolean {
    return !this.#isClosed
  }

  /** A command without a consumer stays pending and delays no other. */
  async publish({ metadata, ...message }: Message): Promise<void> {
    if (this.#isClosed) {
      throw new BusUnavailable('the process is shutting down')
    }
    const { type, key } = metadata.routing
    const names = type === 'work' ? [key] : [...(this.#bindings.get(key) ?? [])]
    const handled = names.map((name) => this.#queue(name).add({ ...message, metadata }))
    await busMetrics.countPublish(type, Promise.all(handled))
  }

  async subscribe(
    subscription: Subscription,
    deliver: (delivery: Delivery) => Promise<void>
  ): Promise<{ stop(): Promise<void> }> {
    for (const key of subscription.events ?? []) {
      const bound = this.#bindings.get(key) ?? new Set()
      this.#bindings.set(key, bound.add(subscription.queue))
    }
    return this.#queue(subscription.queue).consume(subscription, deliver)
  }

  async hasConsumers(queue: string): Promise<boolean> {
    return this.#queues.get(queue)?.hasConsumers ?? false
  }

  /** Workers are in this process, and need nothing. */
  admitWorkers(): void {}

  async close(): Promise<void> {
    this.#isClosed = true
    this.#queues.forEach((queue) => queue.close())
  }

  #queue(name: string): MemoryQueue {
    let queue = this.#queues.get(name)
    if (!queue) {
      queue = new MemoryQueue()
      this.#queues.set(name, queue)
    }
    return queue
  }
}
