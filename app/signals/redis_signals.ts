import { GatheredWakes } from './gathered_wakes.js'
import { Listeners } from './listeners.js'
import { publishAll } from './publish_all.js'
import { connectPublisher, connectSubscriber, type RedisConnection } from './redis.js'
import { SignalsAway, type Message, type Report, type Signals, type Stop } from './signals.js'

const WAKE = 'hub:wake:'
const FIRST_CONTACT_MS = 2_000

/**
 * Signals between processes through Redis. Listening has a connection of its own, which is made again when it breaks:
 * channels are subscribed to again, and every listener for a wake gets one, since one could have been missed.
 */
export class RedisSignals implements Signals {
  readonly #publisher: RedisConnection
  readonly #subscriber: RedisConnection
  readonly #listeners: Listeners
  readonly #report: Report
  readonly #gathered = new GatheredWakes((topic) => this.#send(topic))
  #isClosed = false

  /** Returns when Redis answered, or failed to for the first time: it is then looked for in the background. */
  static async connect(url: string, report: Report): Promise<RedisSignals> {
    const publisher = await connectPublisher(url, () => {})
    const subscriber = await connectSubscriber(url, (error) => {
      report(error, 'signals are not carried now')
    })
    const signals = new RedisSignals(publisher, subscriber, report)
    await Promise.all([firstContact(publisher), firstContact(subscriber)])
    return signals
  }

  private constructor(publisher: RedisConnection, subscriber: RedisConnection, report: Report) {
    this.#publisher = publisher
    this.#subscriber = subscriber
    this.#report = report
    this.#listeners = new Listeners(report)
    subscriber.on('ready', () => void this.#resume())
    subscriber.on('message', (channel, payload) => this.#listeners.tell(channel, payload))
  }

  get isReady(): boolean {
    const connections = [this.#publisher, this.#subscriber]
    return !this.#isClosed && connections.every(({ status }) => status === 'ready')
  }

  async publish(messages: readonly Message[]): Promise<void> {
    if (this.#isClosed) {
      throw new SignalsAway()
    }
    await publishAll(this.#publisher, messages)
  }

  async subscribe(channel: string, hear: (payload: string) => void): Promise<Stop> {
    const listener = { hear }
    this.#listeners.add(channel, listener)
    await this.#subscribeTo([channel])
    return async () => {
      if (this.#listeners.remove(channel, listener)) {
        // A connection that breaks now knows nothing of the channel when it is made again.
        await this.#subscriber.unsubscribe(channel).catch(() => {})
      }
    }
  }

  wake(topic: string): void {
    this.#gathered.wake(topic)
  }

  onWake(topic: string, listener: () => void): Promise<Stop> {
    return this.subscribe(WAKE + topic, listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    this.#publisher.disconnect()
    this.#subscriber.disconnect()
  }

  /** Where Redis does not pass a wake on, at least those in this process are woken. */
  #send(topic: string): void {
    const channel = WAKE + topic
    this.#publisher.publish(channel, '').catch(() => this.#listeners.tell(channel, ''))
  }

  async #resume(): Promise<void> {
    const { channels } = this.#listeners
    if (await this.#subscribeTo(channels)) {
      const wakes = channels.filter((channel) => channel.startsWith(WAKE))
      wakes.forEach((channel) => this.#listeners.tell(channel, ''))
    }
  }

  /** Answers whether the channels are received from now on; where not, they are with the next connection. */
  async #subscribeTo(channels: readonly string[]): Promise<boolean> {
    if (channels.length === 0 || this.#subscriber.status !== 'ready') {
      return false
    }
    try {
      await this.#subscriber.subscribe(...channels)
      return true
    } catch (error) {
      this.#report(error as Error, 'some channels cannot be received now')
      return false
    }
  }
}

function firstContact(redis: RedisConnection): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(resolve, FIRST_CONTACT_MS)
    for (const event of ['ready', 'error', 'close']) {
      redis.once(event, () => {
        clearTimeout(limit)
        resolve()
      })
    }
  })
}
