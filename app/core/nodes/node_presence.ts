import { inject } from '@adonisjs/core'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { serviceOrigin } from '#auth/service_origin'
import type { Sweep } from '#jobs/sweep'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import { clock } from '#kernel/clock'

import type { NodeReport } from './node_report.js'
import { NodeReports } from './node_reports.js'
import { NodeService } from './node_service.js'

/** How long a node stays online without a sign of life of its client. */
const AWAY_AFTER_MS = 30_000
/** How often the sighting of a client is written. */
const RECORD_EVERY_MS = 10_000
const SWEEP_EVERY_MS = 2_500
/** After a longer pause between two sweeps, nodes may have called without anybody noticing. */
const MAX_PAUSE_MS = 15_000
const MAX_RECORDED = 10_000

const BATCH_SIZE = 100

interface Sighting {
  readonly id: string
  readonly online: boolean
}

/** Tracks which nodes are online: those whose clients recently gave a sign of life to any process. */
@inject()
export class NodePresence {
  readonly #pool: CorePool
  readonly #nodes: NodeService
  readonly #reports: NodeReports
  readonly #recordedAt = new LRUCache<string, number>({ max: MAX_RECORDED })
  /** Pending writes by client. */
  readonly #pending = new Map<string, Promise<void>>()
  /** Sightings that are not written yet. */
  readonly #unrecorded = new Map<string, number>()
  /** Since when sweeps follow each other without a longer pause, and the last one. */
  #watch = { since: 0, until: 0 }

  constructor(pool: CorePool, nodes: NodeService, reports: NodeReports) {
    this.#pool = pool
    this.#nodes = nodes
    this.#reports = reports
  }

  /**
   * Records a request of a client that may look away, and the report of its node. Returns undefined if both were
   * recorded recently.
   */
  record(origin: Origin, report?: NodeReport): Promise<void> | undefined {
    const { kind, id } = origin.actor
    const now = clock.now()
    if (kind !== 'client' || !isUuid(id)) {
      return undefined
    }
    if (now - (this.#recordedAt.get(id) ?? 0) < AWAY_AFTER_MS) {
      return this.#pending.get(id) ?? (report && this.#reports.record(id, report))
    }
    this.#recordedAt.set(id, now)
    const recording = this.#write(new Map([[id, now]]), async () => origin)
      .then(() => report && this.#reports.record(id, report))
      .finally(() => this.#pending.delete(id))
    this.#pending.set(id, recording)
    return recording
  }

  /** Records clients with the times at which they were seen; each at most every ten seconds. */
  async recordSeen(seenAt: ReadonlyMap<string, number>): Promise<void> {
    const now = clock.now()
    seenAt.forEach((at, id) => isUuid(id) && this.#unrecorded.set(id, Math.min(at, now)))
    const due = [...this.#unrecorded].filter(
      ([id]) => now - (this.#recordedAt.get(id) ?? 0) >= RECORD_EVERY_MS
    )
    if (due.length > 0) {
      await this.#write(new Map(due), () => this.ownOrigin())
      for (const [id] of due) {
        this.#unrecorded.delete(id)
        this.#recordedAt.set(id, now)
      }
    }
  }

  /** Marks silent nodes as offline. Returns their number. */
  async markOffline(signal: AbortSignal): Promise<number> {
    if (!this.#hasWatchedLongEnough()) {
      return 0
    }
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

  /** Silence only counts while the hub could receive calls: not right after its start, nor after a pause. */
  #hasWatchedLongEnough(): boolean {
    const now = clock.now()
    const hasPaused = now - this.#watch.until > MAX_PAUSE_MS
    this.#watch = { since: hasPaused ? now : this.#watch.since, until: now }
    return now - this.#watch.since >= AWAY_AFTER_MS
  }

  /** The order of the rows keeps processes that write at the same time from a deadlock. */
  async #write(
    seenAt: ReadonlyMap<string, number>,
    originOf: () => Promise<Origin>
  ): Promise<void> {
    const { rows } = await this.#pool.query<Sighting>(
      `with given as (select * from unnest($1::uuid[], $2::timestamptz[]) as given (client_id, seen_at)),
        seen as (select n.id, n.client_id, n.online, g.seen_at,
            s.seen_at is null or s.seen_at < $3 as was_silent
          from given g join nodes n on n.client_id = g.client_id
          left join node_sightings s on s.client_id = g.client_id),
        noted as (insert into node_sightings (client_id, seen_at)
          select distinct client_id, seen_at from seen order by client_id
          on conflict (client_id) do update set seen_at = greatest(node_sightings.seen_at, excluded.seen_at))
       select id, online from seen where not online or was_silent`,
      [
        [...seenAt.keys()],
        [...seenAt.values()].map((at) => new Date(at)),
        new Date(clock.now() - AWAY_AFTER_MS),
      ]
    )
    for (const { id, online } of rows) {
      // The sweep locks a silent node before it reads the sightings.
      if (!online || !(await this.#isOnline(id))) {
        await this.#nodes.setOnline(await originOf(), id, true)
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
      [new Date(clock.now() - AWAY_AFTER_MS)]
    )
  }
}

/** Finds a batch of online nodes that are silent, or checks one node. */
async function findSilentNodes(database: pg.ClientBase | pg.Pool, id?: string): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select n.id from nodes n left join node_sightings s on s.client_id = n.client_id
     where n.online and (s.seen_at is null or s.seen_at < $1) and ($2::uuid is null or n.id = $2)
     order by n.id limit ${BATCH_SIZE}`,
    [new Date(clock.now() - AWAY_AFTER_MS), id ?? null]
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
