import type { Channel } from 'amqplib'

import { sleep, jitteredBackoff } from '#kernel/backoff'
import type { BusLogger } from '#bus/bus'

const REOPEN_BACKOFF = { firstMs: 50, longestMs: 2_000 }
const CLOSE_LIMIT_MS = 2_000

interface ReconnectingChannelOptions<C extends Channel> {
  /** Opens a channel without a limit of deliveries. */
  open(): Promise<C>
  /** Declares and starts what the channel is used for. */
  prepare(channel: C): Promise<void>
  logger: BusLogger
}

/**
 * A channel that reopens after it, or its connection, was lost. Deliveries and confirms belong to the channel they came
 * from, so users keep a reference to it and compare.
 */
export class ReconnectingChannel<C extends Channel> {
  readonly #options: ReconnectingChannelOptions<C>
  readonly #closing = new AbortController()
  #current: C | undefined

  constructor(options: ReconnectingChannelOptions<C>) {
    this.#options = options
    void this.#reconnect()
  }

  /** The open channel, if any. */
  get current(): C | undefined {
    return this.#current
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const channel = this.#current
    this.#current = undefined
    const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref())
    await Promise.race([channel?.close().catch(() => {}), limit])
  }

  async #reconnect(): Promise<void> {
    let failures = 0
    while (!this.#closing.signal.aborted) {
      try {
        await this.#use(await this.#options.open())
        failures = 0
      } catch (error) {
        if (!this.#closing.signal.aborted) {
          this.#options.logger.warn({ err: error }, 'a channel to the broker could not be opened')
        }
      }
      failures++
      await sleep(jitteredBackoff(failures, REOPEN_BACKOFF), this.#closing.signal)
    }
  }

  async #use(channel: C): Promise<void> {
    const closed = new Promise((resolve) => channel.once('close', resolve))
    channel.on('error', (error: Error) =>
      this.#options.logger.warn({ err: error }, 'the broker closed a channel')
    )
    // Fails if the channel was closed before anybody listened for it.
    await channel.prefetch(0)
    await this.#options.prepare(channel)
    if (this.#closing.signal.aborted) {
      await channel.close()
      return
    }
    this.#current = channel
    await closed
    this.#current = undefined
  }
}
