import { clock } from '#kernel/clock'
import { inTransaction } from '#records/transaction'
import { telemetryPool } from '#telemetry/database'
import { appendEvents } from '#telemetry/events/event_table'
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

/** Stores an event that belongs to no realm, as the bus brings them. */
export async function storedEventOfNoRealm(actorId: string): Promise<{ id: string }> {
  const id = clock.uuid()
  const origin = {
    requestPath: null,
    requestMethod: null,
    requestIpAddress: null,
    requestUserAgent: null,
  }
  const event = {
    ...origin,
    id,
    scope: 'entity',
    name: 'updated',
    refType: 'node',
    refId: clock.uuid(),
    actorType: 'user',
    actorId,
    actorName: null,
    realmId: null,
    data: null,
    reportedBy: null,
    expiring: false,
    expiresAt: null,
    createdAt: new Date(clock.now()).toISOString(),
  } as const
  await inTransaction(telemetryPool(), (transaction) => appendEvents(transaction, [event]))
  return { id }
}
