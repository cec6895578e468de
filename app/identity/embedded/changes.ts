import pg from 'pg'

import { databaseUrl } from '#database/addresses'
import type { ProviderChange } from '#identity/provider'
import { eventSink } from '#records/event_sink'
import type { EventSink, RecordChange } from '#records/events'
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
    if (ANNOUNCED.has(change.kind)) {
      const values = [CHANNEL, announcementOf(change)]
      await leaveLast(transaction, transaction.query('select pg_notify($1, $2)', values))
    }
    await eventSink.record(transaction, change)
  },
  async recordAll(transaction, changes) {
    const announced = changes.filter(({ kind }) => ANNOUNCED.has(kind)).map(announcementOf)
    if (announced.length > 0) {
      const text = 'select pg_notify($1, told) from unnest($2::text[]) as told'
      await transaction.query(text, [CHANNEL, announced])
    }
    await eventSink.recordAll!(transaction, changes)
  },
}

function announcementOf({ kind, type: event, id, next, previous }: RecordChange): string {
  const { name, realmId } = (next ?? previous)!
  return JSON.stringify({ type: kind, event, data: { id, name, realmId } })
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
