import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { serviceOrigin } from '#auth/service_origin'
import type { Sweep } from '#jobs/sweep'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import { clock } from '#kernel/clock'

import { NodeService } from './node_service.js'

/** How long a node stays online after the last request of its client. */
const ONLINE_MS = 5 * 60_000
/** How often the presence of a client is written. */
const RECORD_EVERY_MS = 60_000
const SWEEP_EVERY_MS = 30_000
const MAX_RECORDED = 10_000

const BATCH_SIZE = 100

/** Tracks which nodes are online: those whose clients recently sent a request to any process. */
@inject()
export class NodePresence {
  readonly #pool: CorePool
  readonly #nodes: NodeService
  readonly #recordedAt = new Map<string, number>()
  /** Pending writes by client. */
  readonly #pending = new Map<string, Promise<void>>()

  constructor(pool: CorePool, nodes: NodeService) {
    this.#pool = pool
    this.#nodes = nodes
  }

  /** Records a request of a client. Returns undefined if it was recorded recently. */
  record(origin: Origin): Promise<void> | undefined {
    const { kind, id } = origin.actor
    const now = clock.now()
    if (kind !== 'client' || !isUuid(id)) {
      return undefined
    }
    if (now - (this.#recordedAt.get(id) ?? 0) < RECORD_EVERY_MS) {
      return this.#pending.get(id)
    }
    if (this.#recordedAt.size >= MAX_RECORDED) {
      this.#recordedAt.clear()
    }
    this.#recordedAt.set(id, now)
    const recording = this.#write(origin, now).finally(() => this.#pending.delete(id))
    this.#pending.set(id, recording)
    return recording
  }

  /** Marks silent nodes as offline. Returns their number. */
  async markOffline(signal: AbortSignal): Promise<number> {
    let marked = 0
    let silent = await findSilentNodes(this.#pool)
    while (silent.length > 0 && !signal.aborted) {
      const origin = await this.ownOrigin()
      for (const id of silent) {
        const isStillSilent = (transaction: pg.ClientBase) =>
          findSilentNodes(transaction, id).then(({ length }) => length > 0)
        await this.#nodes.setOnline(origin, id, false, isStillSilent)
      }
      marked += silent.length
      silent = await findSilentNodes(this.#pool)
    }
    await this.#removeStaleSightings()
    return marked
  }

  protected ownOrigin(): Promise<Origin> {
    return serviceOrigin()
  }

  async #write(origin: Origin, now: number): Promise<void> {
    const { rows } = await this.#pool.query<{ id: string; online: boolean; wasSilent: boolean }>(
      `with seen as (select n.id, n.client_id, n.online, s.seen_at is null or s.seen_at < $3 as "wasSilent"
          from nodes n left join node_sightings s on s.client_id = n.client_id where n.client_id = $1),
        noted as (insert into node_sightings (client_id, seen_at) select client_id, $2 from seen
          on conflict (client_id) do update set seen_at = greatest(node_sightings.seen_at, excluded.seen_at))
       select id, online, "wasSilent" from seen`,
      [origin.actor.id, new Date(now), new Date(now - ONLINE_MS)]
    )
    for (const { id, online, wasSilent } of rows) {
      // The sweep locks a silent node before it reads the sightings.
      if (!online || (wasSilent && !(await this.#isOnline(id)))) {
        await this.#nodes.setOnline(origin, id, true)
      }
    }
  }

  /** Waits for concurrent changes of the node. */
  async #isOnline(id: string): Promise<boolean> {
    const { rows } = await this.#pool.query<{ online: boolean }>(
      'select online from nodes where id = $1 for share',
      [id]
    )
    return rows[0]?.online ?? true
  }

  /** Removes the sightings of deleted nodes. */
  async #removeStaleSightings(): Promise<void> {
    await this.#pool.query(
      `delete from node_sightings s where s.seen_at < $1
       and not exists (select 1 from nodes where client_id = s.client_id)`,
      [new Date(clock.now() - ONLINE_MS)]
    )
  }
}

/** Finds a batch of online nodes that are silent, or checks one node. */
async function findSilentNodes(database: pg.ClientBase | pg.Pool, id?: string): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select n.id from nodes n left join node_sightings s on s.client_id = n.client_id
     where n.online and (s.seen_at is null or s.seen_at < $1) and ($2::uuid is null or n.id = $2)
     order by n.id limit ${BATCH_SIZE}`,
    [new Date(clock.now() - ONLINE_MS), id ?? null]
  )
  return rows.map(({ id: found }) => found)
}

/** Marks silent nodes as offline. */
export function presenceSweep(presence: NodePresence): Sweep {
  return {
    name: 'node-presence',
    schedule: { everyMs: SWEEP_EVERY_MS },
    run: (signal) => presence.markOffline(signal),
  }
}
