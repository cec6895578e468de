import type pg from 'pg'

import { columnOf } from '#query/sql/identifiers'
import { sealEvents } from '#telemetry/trail/seal_events'
import { toSealedEvent } from './sealed_event.js'
import { event } from './event.js'
import { notifyAppended } from '#telemetry/events/live/append_notifications'
import type { NewEvent } from './stored_event.js'

type EventColumn = keyof NewEvent & string

const TYPES = { text: 'text', jsonText: 'text', timestamp: 'timestamptz' } as Record<string, string>

const COLUMNS = Object.entries(event.columns)
  .filter(([name]) => name !== 'updatedAt')
  .map(([name, column]) => ({
    name: name as EventColumn,
    column: columnOf(name, column),
    type: TYPES[column.type] ?? column.type,
    inList: column.type === 'jsonText' ? quotedJson : quoted,
  }))

const APPEND = {
  name: 'append-events',
  text: `insert into events (${COLUMNS.map(({ column }) => column).join()}, updated_at)
         select *, created_at from unnest(${COLUMNS.map(({ type }, at) => `$${at + 1}::${type}[]`).join()})
           as e(${COLUMNS.map(({ column }) => column).join()}) order by id
         on conflict (id) do nothing returning id`,
}

/**
 * Stores events and seals the new ones in the same transaction. Returns the ids of the new ones. An event that
 * arrives twice is stored once, even if its computed expiry differs.
 */
export async function appendEvents(
  transaction: pg.ClientBase,
  received: readonly NewEvent[]
): Promise<ReadonlySet<string>> {
  const events = [...new Map(received.map((each) => [each.id.toLowerCase(), each])).values()]
  const values = COLUMNS.map(
    ({ name, inList }) => `{${events.map((each) => inList(each[name])).join()}}`
  )
  const { rows } = await transaction.query<{ id: string }>({ ...APPEND, values })
  const fresh = new Set(rows.map(({ id }) => id))
  notifyAppended(transaction)
  await sealEvents(
    transaction,
    events.map(toSealedEvent).filter(({ id }) => fresh.has(id))
  )
  return fresh
}

function quoted(value: string | boolean | null): string {
  if (typeof value !== 'string') {
    return String(value)
  }
  return value.includes('"') || value.includes('\\')
    ? `"${value.replace(/[\\"]/g, '\\$&')}"`
    : `"${value}"`
}

/** JSON text needs no escapes of its own within an array literal, except those that JSON writes as well. */
function quotedJson(json: NewEvent[EventColumn]): string {
  return JSON.stringify(json)
}
