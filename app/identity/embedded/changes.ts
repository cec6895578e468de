import pg from 'pg'

import { databaseUrl } from '#database/addresses'
import type { ProviderChange } from '#identity/provider'
import { eventSink } from '#records/event_sink'
import type { EventSink } from '#records/events'
import { leaveLast } from '#records/transaction'

const CHANNEL = 'identity_changes'
const ANNOUNCED = new Set<string>(['realm', 'user', 'client'] satisfies ProviderChange['type'][])

const SHORTEST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

/**
 * Passes changes on, and tells every process of those that others have to react to, once they are kept.
 */
export const announcingSink: EventSink = {
  async record(transaction, change) {
    const { kind, type: event, id, next, previous } = change
    if (ANNOUNCED.has(kind)) {
      const { name, realmId } = (next ?? previous)!
      const announcement = JSON.stringify({ type: kind, event, data: { id, name, realmId } })
      const told = transaction.query('select pg_notify($1, $2)', [CHANNEL, announcement])
      await leaveLast(transaction, told)
    }
    await eventSink.record(transaction, change)
  },
}

/**
 * Hears of the changes that any process makes. While the database is away it hears nothing, and comes back by itself.
 */
export class ChangeListener {
  readonly #listener: (change: ProviderChange) => void
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #pause = SHORTEST_PAUSE_MS
  #stopped = false

  constructor(listener: (change: ProviderChange) => void) {
    this.#listener = listener
  }

  async start(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl('identity'),
      application_name: 'analysis-hub identity changes',
    })
    client.on('notification', ({ payload }) => this.#listener(JSON.parse(payload!)))
    client.on('error', () => {})
    client.on('end', () => this.#startAgain(client))
    this.#client = client
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
    this.#pause = SHORTEST_PAUSE_MS
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#client?.end()
  }

  #startAgain(client: pg.Client): void {
    if (this.#stopped || client !== this.#client) {
      return
    }
    this.#client = undefined
    this.#timer = setTimeout(() => {
      this.start().catch(() => {})
    }, this.#pause)
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS)
  }
}
