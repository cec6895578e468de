import { inject } from '@adonisjs/core'

import { CorePool } from '#core/database'
import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { clock } from '#kernel/clock'
import { EntityNotFound } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import type { Origin } from '#kernel/origin'
import { isRealmWritable } from '#kernel/realm'
import { node as kind } from './node.js'
import { findSpans, type PresenceSpan } from './presence_spans.js'

const HOUR_MS = 60 * 60_000

/** Whether a node is online, and since when. Version, clock, limits and secret are null for callers of other realms. */
export interface NodeState {
  readonly nodeId: string
  readonly online: boolean
  /** When it came online, or its last sign of life. Null if there was none. */
  readonly since: string | null
  readonly seenAt: string | null
  readonly version: string | null
  readonly startedAt: string | null
  readonly clockDifferenceMs: number | null
  /** What its limits of analyses do not cover, in words of the node. */
  readonly unbounded: readonly string[] | null
  /** When the secret of its client was set. */
  readonly secretSince: string | null
}

interface StateRow {
  readonly nodeId: string
  readonly realmId: string
  readonly online: boolean
  readonly onlineSince: Date | null
  readonly seenAt: Date | null
  readonly version: string | null
  readonly startedAt: Date | null
  readonly clockDifferenceMs: number | null
  readonly unbounded: readonly string[] | null
  readonly secretSince: Date | null
}

const STATES = `select n.id as "nodeId", n.realm_id as "realmId", n.online, s.seen_at as "seenAt", s.version,
    s.started_at as "startedAt", s.clock_difference_ms as "clockDifferenceMs", s.unbounded,
    (select max(p.online_since) from node_presence_spans p
      where p.node_id = n.id and p.offline_since is null) as "onlineSince",
    case when n.client_id is not null then coalesce(r.replaced_at, n.created_at) end as "secretSince"
  from nodes n left join node_sightings s on s.client_id = n.client_id
  left join replaced_secrets r on r.record_id = n.id
  where n.id = any($1) order by n.id`

/** Reads the presence of nodes. */
@inject()
export class NodePresenceReader {
  readonly #pool: CorePool

  constructor(pool: CorePool) {
    this.#pool = pool
  }

  /** The states of the nodes that exist. */
  async list({ actor }: Origin, ids: readonly string[]): Promise<NodeState[]> {
    enforce(kind.access.read, actor)
    const { rows } = await this.#pool.query<StateRow>(STATES, [ids.filter(isUuid)])
    return rows.map((row) => stateOf(row, actor))
  }

  /** The state of a node, with the times in which it was online during the last hours. */
  async read(
    origin: Origin,
    id: string,
    hours: number
  ): Promise<NodeState & { readonly spans: readonly PresenceSpan[] }> {
    enforce(kind.access.read, origin.actor)
    const [state] = await this.list(origin, [id])
    if (!state) {
      throw new EntityNotFound(kind.name)
    }
    const spans = await findSpans(this.#pool, id, clock.now() - hours * HOUR_MS)
    return { ...state, spans }
  }
}

function stateOf(
  { nodeId, realmId, online, onlineSince, seenAt, ...report }: StateRow,
  actor: Actor
): NodeState {
  const since = online ? onlineSince : seenAt
  const isShown = isRealmWritable(actor, realmId)
  return {
    nodeId,
    online,
    since: since?.toISOString() ?? null,
    seenAt: seenAt?.toISOString() ?? null,
    version: isShown ? report.version : null,
    startedAt: isShown ? (report.startedAt?.toISOString() ?? null) : null,
    clockDifferenceMs: isShown ? report.clockDifferenceMs : null,
    unbounded: isShown ? report.unbounded : null,
    secretSince: isShown ? (report.secretSince?.toISOString() ?? null) : null,
  }
}
