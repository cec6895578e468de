import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import type pg from 'pg'

import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { publishChange, publishCommand } from '#outbox/publish'
import { inTransaction } from '#records/transaction'
import { identity } from '#tests/helpers/identities'

import type { Journal } from './journal.js'

const RECORDS = 5

interface CommandWriterOptions {
  readonly journal: Journal
  readonly pauseMs: number
  readonly stopping: AbortSignal
}

class ChangedMind extends Error {}

/**
 * Writes commands to the outbox that each leave one trace in the audit trail. Every third is taken back at the last moment,
 * with a change that must not be heard of either.
 */
export class CommandWriter {
  readonly #options: CommandWriterOptions
  readonly #records = Array.from({ length: RECORDS }, () => randomUUID())

  constructor(options: CommandWriterOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    const { journal, pauseMs, stopping } = this.#options
    for (let step = 1; !stopping.aborted; step++) {
      const isStored = step % 3 > 0
      // The result of the transaction does not matter: the journal shows whether it was committed.
      await inTransaction(journal.pool, (transaction) =>
        isStored ? this.#command(transaction, step) : this.#changeMind(transaction, step)
      ).catch(() => {})
      await delay(pauseMs)
    }
  }

  async #command(transaction: pg.ClientBase, step: number): Promise<void> {
    const record = this.#records[step % RECORDS]!
    await this.#options.journal.noteCommand(transaction, record, step)
    await write(transaction, record, step)
  }

  async #changeMind(transaction: pg.ClientBase, step: number): Promise<never> {
    const record = randomUUID()
    const node = { id: record, name: `nobody-${step}` }
    const origin = { ...ORIGIN, actor: identity().actor }
    const change = { kind: 'node', type: 'created', id: record, realmId: null, origin } as const
    await publishChange(transaction, { ...change, previous: undefined, next: node })
    await write(transaction, record, step)
    throw new ChangedMind()
  }
}

const ORIGIN = { requestId: 'chaos', address: '127.0.0.1', userAgent: undefined }

async function write(transaction: pg.ClientBase, record: string, step: number): Promise<void> {
  const diff = { step: { next: String(step), previous: null } }
  const event = { scope: 'entity', name: 'commanded', refType: 'command', refId: record }
  const routing = commandRouting(COMMAND_QUEUES.telemetryEvent)
  const message = newMessage(routing, 'create', { ...event, data: { diff } })
  await publishCommand(transaction, message, record)
}
