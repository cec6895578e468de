import { NotificationCoalescer } from './notification_coalescer.js'
import { Listeners } from './listeners.js'
import { publishAll } from './publish_all.js'
import {
  connectPublisher,
  connectSubscriber,
  waitForFirstAttempt,
  type RedisConnection,
} from './redis.js'
import {
  SignalsUnavailable,
  type SignalMessage,
  type ReportError,
  type Signals,
  type Unsubscribe,
} from './signals.js'

const NOTIFICATION_PREFIX = 'hub:wake:'

/**
 * Signals between processes through Redis. Subscriptions have a connection of their own. After a reconnect, channels
 * are subscribed again and every notification listener is called once, since a notification may have been missed.
 */
export class RedisSignals implements Signals {
  readonly #publisher: RedisConnection
  readonly #subscriber: RedisConnection
  readonly #listeners: Listeners
  readonly #report: ReportError
  readonly #coalescer = new NotificationCoalescer((topic) => this.#send(topic))
  #isClosed = false

  /** Returns after the first connection attempt, successful or not. Further attempts run in the background. */
  static async connect(url: string, report: ReportError): Promise<RedisSignals> {
    const publisher = await connectPublisher(url, () => {})
    const subscriber = await connectSubscriber(url, (error) => {
      report(error, 'signals are not carried now')
    })
    const signals = new RedisSignals(publisher, subscriber, report)
    await Promise.all([waitForFirstAttempt(publisher), waitForFirstAttempt(subscriber)])
    return signals
  }

  private constructor(
    publisher: RedisConnection,
    subscriber: RedisConnection,
    report: ReportError
  ) {
    this.#publisher = publisher
    this.#subscriber = subscriber
    this.#report = report
    this.#listeners = new Listeners(report)
    subscriber.on('ready', () => void this.#resume())
    subscriber.on('message', (channel, payload) => this.#listeners.dispatch(channel, payload))
  }

  get isReady(): boolean {
    const connections = [this.#publisher, this.#subscriber]
    return !this.#isClosed && connections.every(({ status }) => status === 'ready')
  }

  async publish(messages: readonly SignalMessage[]): Promise<void> {
    if (this.#isClosed) {
      throw new SignalsUnavailable()
    }
    await publishAll(this.#publisher, messages)
  }

  async subscribe(channel: string, receive: (payload: string) => void): Promise<Unsubscribe> {
    const listener = { receive }
    this.#listeners.add(channel, listener)
    await this.#subscribeTo([channel])
    return async () => {
      if (this.#listeners.remove(channel, listener)) {
        // If the connection breaks now, it does not subscribe to the channel again.
        await this.#subscriber.unsubscribe(channel).catch(() => {})
      }
    }
  }

  notify(topic: string): void {
    this.#coalescer.notify(topic)
  }

  onNotification(topic: string, listener: () => void): Promise<Unsubscribe> {
    return this.subscribe(NOTIFICATION_PREFIX + topic, listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    this.#publisher.disconnect()
    this.#subscriber.disconnect()
  }

  /** If Redis is unavailable, at least listeners in this process are notified. */
  #send(topic: string): void {
    const channel = NOTIFICATION_PREFIX + topic
    this.#publisher.publish(channel, '').catch(() => this.#listeners.dispatch(channel, ''))
  }

  async #resume(): Promise<void> {
    const { channels } = this.#listeners
    if (await this.#subscribeTo(channels)) {
      const notifications = channels.filter((channel) => channel.startsWith(NOTIFICATION_PREFIX))
      notifications.forEach((channel) => this.#listeners.dispatch(channel, ''))
    }
  }

  /** Returns whether the channels are subscribed. Otherwise they are subscribed on the next connection. */
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
