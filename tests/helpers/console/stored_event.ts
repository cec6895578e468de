import { clock } from '#kernel/clock'
import { inTransaction } from '#records/transaction'
import { telemetryPool } from '#telemetry/database'
import { appendEvents } from '#telemetry/events/event_table'
import { REPORTED_ON_BUS } from '#telemetry/events/reporter'
import type { NewEvent } from '#telemetry/events/stored_event'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'

const reporter = identity({ permissions: ['event_create'] })

/** Reports an event as the master realm does, which may name any actor. Returns it as it was stored. */
export async function storedEvent(traits: object = {}): Promise<{ id: string; createdAt: string }> {
  const response = await fetch(at('telemetry', '/events'), {
    method: 'POST',
    headers: { ...reporter.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      scope: 'entity',
      name: 'updated',
      refType: 'node',
      refId: clock.uuid(),
      ...traits,
    }),
  })
  if (response.status !== 201) {
    throw new Error(`The event was not stored: ${await response.text()}`)
  }
  const { data } = (await response.json()) as { data: { id: string; createdAt: string } }
  return data
}

const STORED = {
  requestPath: null,
  requestMethod: null,
  requestIpAddress: null,
  requestUserAgent: null,
  scope: 'entity',
  name: 'updated',
  refType: 'node',
  actorType: null,
  actorId: null,
  actorName: null,
  realmId: null,
  data: null,
  reportedBy: null,
  expiring: false,
  expiresAt: null,
} as const

/** Stores an event that belongs to no realm, as the bus brings them. */
export function storedEventOfNoRealm(actorId: string): Promise<{ id: string }> {
  return storedDirectly({ actorType: 'user', actorId })
}

/** Stores an event as the platform records it, over its bus. */
export function storedByPlatform(traits: Partial<NewEvent>): Promise<{ id: string }> {
  return storedDirectly({ ...traits, reportedBy: REPORTED_ON_BUS })
}

async function storedDirectly(traits: Partial<NewEvent>): Promise<{ id: string }> {
  const id = clock.uuid()
  const createdAt = new Date(clock.now()).toISOString()
  const event: NewEvent = { ...STORED, refId: clock.uuid(), ...traits, id, createdAt }
  await inTransaction(telemetryPool(), (transaction) => appendEvents(transaction, [event]))
  return { id }
}
