import { setTimeout as delay } from 'node:timers/promises'

import type { ChannelModel, ConsumeMessage } from 'amqplib'

import { connectOnce } from '#bus/amqp/connect_once'

import { keyOf, type Note } from './note.js'

const EXCHANGE = 'FLAME'
const QUEUE = 'chaos.observer'
/** Otherwise it may get new messages before those that its former connection had, which RabbitMQ takes for alive for a while. */
const IN_ORDER = { 'x-single-active-consumer': true }
const POLL_INTERVAL_MS = 100

/** The broker confirms a new queue up to two seconds before it would survive being killed. */
const LASTING_AFTER_MS = 2_500

/**
 * A foreign program that follows all changes on the bus, with a queue that outlives the broker and itself.
 */
export class Observer {
  /** Changes of nodes in the order received, with duplicates. */
  readonly heard: Note[] = []
  readonly #url: string
  readonly #keys = new Set<string>()
  #connection: ChannelModel | undefined
  #isClosed = false

  static async start(url: string): Promise<Observer> {
    const observer = new Observer(url)
    void observer.#listenAgainAfter(await observer.#listen())
    await delay(LASTING_AFTER_MS)
    return observer
  }

  private constructor(url: string) {
    this.#url = url
  }

  hasObserved(note: Note): boolean {
    return this.#keys.has(keyOf(note))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#connection?.close().catch(() => {})
  }

  /** Answers what resolves when it has stopped listening. */
  async #listen(): Promise<{ end: Promise<unknown> }> {
    const connection = await connectOnce(this.#url, { timeout: 5_000 })
    connection.on('error', () => {})
    const end = new Promise((resolve) => connection.once('close', resolve))
    this.#connection = connection
    try {
      await this.#consume(connection)
    } catch (error) {
      await connection.close().catch(() => {})
      throw error
    }
    return { end }
  }

  async #consume(connection: ChannelModel): Promise<void> {
    const channel = await connection.createChannel()
    channel.on('error', () => {})
    await channel.assertExchange(EXCHANGE, 'topic')
    await channel.assertQueue(QUEUE, { durable: true, arguments: IN_ORDER })
    await channel.bindQueue(QUEUE, EXCHANGE, 'domain.#')
    await channel.consume(QUEUE, (message) => {
      if (message) {
        this.#receive(message)
        channel.ack(message)
      }
    })
  }

  async #listenAgainAfter(listening: { end: Promise<unknown> } | undefined): Promise<void> {
    while (!this.#isClosed) {
      await listening?.end
      await delay(POLL_INTERVAL_MS)
      listening = await this.#listen().catch(() => undefined)
    }
  }

  #receive({ content }: ConsumeMessage): void {
    const { type, event, data } = JSON.parse(content.toString('utf8')).data
    if (type === 'node') {
      const note = { record: data.id, change: event, label: data.name }
      this.heard.push(note)
      this.#keys.add(keyOf(note))
    }
  }
}
