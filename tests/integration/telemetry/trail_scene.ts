import type pg from 'pg'

import { clock } from '#kernel/clock'
import type { HeadAnchor, SignedHead } from '#telemetry/trail/head_anchor'
import type { SealedEvent } from '#telemetry/trail/leaf'
import { sealEvents } from '#telemetry/trail/seal_events'
import { emptyDatabase } from '#tests/helpers/database/empty_database'

export const REALMS = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  null,
]

/** A database with the trail. */
export async function trailDatabase() {
  const database = await emptyDatabase()
  await database.migrate('bus', 'telemetry')
  return database
}

export function eventWith(given: Partial<SealedEvent> = {}): SealedEvent {
  const now = new Date(clock.now()).toISOString()
  return {
    id: clock.uuid(),
    scope: 'entity',
    name: 'updated',
    refType: 'node',
    refId: clock.uuid(),
    data: { diff: { name: { next: 'B', previous: 'A' } } },
    expiring: false,
    requestPath: '/nodes/1',
    requestMethod: 'POST',
    requestIpAddress: '10.1.2.3',
    requestUserAgent: 'curl/8',
    actorType: 'user',
    actorId: clock.uuid(),
    actorName: 'admin',
    realmId: null,
    expiresAt: null,
    createdAt: now,
    updatedAt: now,
    reportedBy: null,
    ...given,
  }
}

/** Events from before reporters were recorded. */
export async function store(on: pg.ClientBase | pg.Pool, events: readonly SealedEvent[]) {
  for (const event of events) {
    await on.query(
      `insert into events (id, scope, name, ref_type, ref_id, data, expiring, request_path, request_method,
         request_ip_address, request_user_agent, actor_type, actor_id, actor_name, realm_id, expires_at, created_at,
         updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
      [
        event.id,
        event.scope,
        event.name,
        event.refType,
        event.refId,
        event.data === null ? null : JSON.stringify(event.data),
        event.expiring,
        event.requestPath,
        event.requestMethod,
        event.requestIpAddress,
        event.requestUserAgent,
        event.actorType,
        event.actorId,
        event.actorName,
        event.realmId,
        event.expiresAt,
        event.createdAt,
        event.updatedAt,
      ]
    )
  }
}

/** Stores events and seals them, in one transaction. */
export async function storeEvents(pool: pg.Pool, events: readonly SealedEvent[]): Promise<void> {
  await within(pool, 'commit', async (client) => {
    await store(client, events)
    await sealEvents(client, events)
  })
}

export async function within<T>(
  pool: pg.Pool,
  end: 'commit' | 'rollback',
  work: (client: pg.PoolClient) => Promise<T>
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query(end)
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** An anchor in memory, for tests of the database. */
export class NotedHeads implements HeadAnchor {
  readonly heads = new Map<string, SignedHead>()

  async write(head: SignedHead): Promise<void> {
    this.heads.set(head.chain, head)
  }

  async read(chain: string): Promise<SignedHead | undefined> {
    return this.heads.get(chain)
  }

  async chains(): Promise<string[]> {
    return [...this.heads.keys()]
  }
}
