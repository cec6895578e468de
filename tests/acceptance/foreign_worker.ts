import { connect, type ChannelModel, type ConsumeMessage, type ConfirmChannel } from 'amqplib'

const EXCHANGE = 'FLAME'

interface Command {
  id: string
  type: string
  data: { id: string }
  metadata: { timestamp: number; correlationId?: string; routing: object; [key: string]: unknown }
}

/** An event that the worker reports for a command: its name and additional data. */
export type Answer = readonly [type: string, data?: Record<string, unknown>]

let count = 0

/**
 * A foreign worker, known only by its messages: it shares no code with the hub, takes
 * one command at a time, and answers with events that the broker may forget.
 */
export class ForeignWorker {
  readonly commands: Command[] = []
  readonly #connection: ChannelModel
  readonly #channel: ConfirmChannel
  readonly #eventKey: string
  readonly #answers: (command: Command) => readonly Answer[]

  static async start(
    url: string,
    component: { queue: string; eventKey: string },
    answers: (command: Command) => readonly Answer[]
  ): Promise<ForeignWorker> {
    const connection = await connect(url, { timeout: 5_000 })
    const channel = await connection.createConfirmChannel()
    const worker = new ForeignWorker(connection, channel, component.eventKey, answers)
    await channel.assertExchange(EXCHANGE, 'topic')
    await channel.assertQueue(component.queue, { durable: true })
    await channel.prefetch(1)
    await channel.consume(component.queue, (message) => void worker.#work(message))
    return worker
  }

  private constructor(
    connection: ChannelModel,
    channel: ConfirmChannel,
    eventKey: string,
    answers: (command: Command) => readonly Answer[]
  ) {
    this.#connection = connection
    this.#channel = channel
    this.#eventKey = eventKey
    this.#answers = answers
  }

  /** Sends a message that cannot be parsed. */
  async mumble(content: string): Promise<void> {
    this.#channel.publish(EXCHANGE, this.#eventKey, Buffer.from(content))
    await this.#channel.waitForConfirms()
  }

  async stop(): Promise<void> {
    await this.#connection.close()
  }

  async #work(message: ConsumeMessage | null): Promise<void> {
    if (!message) {
      return
    }
    if (!message.fields.redelivered) {
      const command = JSON.parse(message.content.toString()) as Command
      this.commands.push(command)
      for (const answer of this.#answers(command)) {
        this.#say(command, answer)
      }
      await this.#channel.waitForConfirms()
    }
    this.#channel.ack(message)
  }

  /** An event repeats the metadata of its command, its time included; only its way is another. */
  #say({ data, metadata }: Command, [type, more]: Answer): void {
    const id = `worker${String(count++).padStart(15, '0')}`
    const routing = { type: 'pubSub', key: this.#eventKey }
    const event = { id, type, data: { id: data.id, ...more }, metadata: { ...metadata, routing } }
    this.#channel.publish(EXCHANGE, this.#eventKey, Buffer.from(JSON.stringify(event)), {
      type,
      messageId: id,
      persistent: false,
    })
  }
}
