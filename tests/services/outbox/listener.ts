import { connect, type ChannelModel } from 'amqplib'
import { Redis } from 'ioredis'
import { realTime } from '#tests/helpers/real_time'

const AUDIT_QUEUE = 'telemetryEventTasks'

/** One message as a foreign program sees it. */
export interface ReceivedEvent {
  id: string
  record: string
  /** The number of the change among those of its record. */
  step: number
}

/**
 * A foreign program that keeps what comes through the broker and on Redis channels, and goes on after either was away.
 */
export class Listener {
  readonly audited: ReceivedEvent[] = []
  readonly told: ReceivedEvent[] = []
  readonly commanded: ReceivedEvent[] = []
  readonly published: { channel: string; event: string }[] = []
  readonly #redis: Redis
  #broker: ChannelModel | undefined
  #isClosed = false

  static async start(amqpUrl: string, redisUrl: string, command: string): Promise<Listener> {
    const listener = new Listener(redisUrl)
    await listener.#listen(amqpUrl, command)
    await listener.#redis.psubscribe('resources/*')
    return listener
  }

  private constructor(redisUrl: string) {
    this.#redis = new Redis(redisUrl, { retryStrategy: () => 100, maxRetriesPerRequest: null })
    this.#redis.on('error', () => {})
    this.#redis.on('pmessage', (_pattern, channel, payload) =>
      this.published.push({ channel, event: JSON.parse(payload).event })
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#redis.disconnect()
    await this.#broker?.close().catch(() => {})
  }

  async #listen(url: string, command: string): Promise<void> {
    const broker = await connect(url)
    this.#broker = broker
    broker.on('error', () => {})
    broker.on('close', () => void this.#listenAgain(url, command))
    const channel = await broker.createChannel()
    channel.on('error', () => {})
    await channel.assertExchange('FLAME', 'topic')
    await channel.assertQueue(AUDIT_QUEUE)
    await channel.assertQueue(command)
    await channel.assertQueue('test.domain')
    await channel.bindQueue('test.domain', 'FLAME', 'domain.#')
    await this.#keep(channel, AUDIT_QUEUE, this.audited)
    await this.#keep(channel, command, this.commanded)
    await this.#keep(channel, 'test.domain', this.told)
  }

  async #keep(
    channel: Awaited<ReturnType<ChannelModel['createChannel']>>,
    queue: string,
    into: ReceivedEvent[]
  ) {
    await channel.consume(queue, (message) => {
      const { id, data } = JSON.parse(message!.content.toString('utf8'))
      const record = data.refId ?? data.id ?? data.data.id
      const name = data.data?.diff?.name.next ?? data.data?.name ?? data.step
      into.push({ id, record, step: Number(name) })
      channel.ack(message!)
    })
  }

  async #listenAgain(url: string, command: string): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await this.#listen(url, command)
      } catch {
        await realTime(200, 'the broker is away for a while')
      }
    }
  }
}
