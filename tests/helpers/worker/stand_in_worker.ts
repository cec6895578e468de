import type pg from 'pg'

import type { Bus } from '#bus/bus'
import { newMessage, parseMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, EVENT_KEYS, eventRouting } from '#bus/names'

export type WorkerName = 'analysisBuilder' | 'analysisDistributor'

/**
 * A worker that collects its commands and publishes the reports of a test. As workers do, it repeats the metadata of the
 * command in its reports.
 */
export class StandInWorker {
  readonly commands: Message[] = []
  readonly #bus: Bus
  readonly #name: WorkerName
  #subscription: { stop(): Promise<void> } | undefined

  private constructor(bus: Bus, name: WorkerName) {
    this.#bus = bus
    this.#name = name
  }

  static async start(bus: Bus, database: pg.Pool, name: WorkerName): Promise<StandInWorker> {
    const worker = new StandInWorker(bus, name)
    const queue = COMMAND_QUEUES[name]
    worker.#subscription = await bus.subscribe(
      { queue, prefetch: 1, database },
      async (delivery) => void worker.commands.push(parseMessage(delivery.bytes))
    )
    return worker
  }

  /** The last command about an analysis, if any. */
  lastFor(id: unknown, type = 'execute'): Message | undefined {
    return this.commands.findLast((command) => command.type === type && command.data.id === id)
  }

  /** Publishes a report about a command. */
  async report(command: Message, type: string, data: object = {}): Promise<Message> {
    const routing = eventRouting(EVENT_KEYS[this.#name])
    const message = newMessage(routing, type, { id: command.data.id, ...data }, command.metadata)
    await this.repeat(message)
    return message
  }

  /** Publishes a report again. */
  repeat(report: Message): Promise<void> {
    return this.#bus.publish(report, String(report.data.id))
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop()
  }
}
