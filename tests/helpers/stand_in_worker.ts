import type pg from 'pg'

import type { Bus } from '#bus/bus'
import { newMessage, parseMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, EVENT_KEYS, eventRouting } from '#bus/names'

export type WorkerName = 'analysisBuilder' | 'analysisDistributor'

/**
 * A worker that keeps what it is told to do, and tells what a test has it tell. As workers do, it repeats the metadata of the
 * command in all that it tells of it.
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

  /** The last command about an analysis, if there was one. */
  lastFor(id: unknown, type = 'execute'): Message | undefined {
    return this.commands.findLast((command) => command.type === type && command.data.id === id)
  }

  /** Tells something in answer to a command. */
  async report(command: Message, type: string, data: object = {}): Promise<Message> {
    const routing = eventRouting(EVENT_KEYS[this.#name])
    const told = newMessage(routing, type, { id: command.data.id, ...data }, command.metadata)
    await this.repeat(told)
    return told
  }

  /** Tells again what was told. */
  repeat(told: Message): Promise<void> {
    return this.#bus.publish(told, String(told.data.id))
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop()
  }
}
