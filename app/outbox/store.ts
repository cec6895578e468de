import type pg from 'pg'

import type { Content, Entry } from './entry.js'
import type { Mark } from './entry_buffer.js'

/** Selects pending entries of the destinations, of one queue or of all except some. */
export interface Selection {
  readonly destinations: number
  readonly queue: string | null
  readonly exceptQueues: readonly string[]
  readonly above: number
  readonly except: readonly number[]
  readonly limit: number
}

interface Row {
  position: string
  writtenAt: string
  pending: number
  messageId: string
  orderedBy: string
  queue: string | null
  content: Content
}

export interface Horizon {
  /** The last assigned position. */
  readonly position: number
  /** Transactions with lower ids have all ended. */
  readonly oldest: bigint
  /** Higher than the id of every transaction that has one; none without a position above the floor. */
  readonly next: bigint | undefined
}

interface HorizonRow {
  position: string
  oldest: string
  next: string | null
}

const NOTHING: Selection = {
  destinations: 0,
  queue: null,
  exceptQueues: [],
  above: 0,
  except: [],
  limit: 0,
}

const REMOVE = 'removed as (delete from outbox where position = any($1::bigint[]))'

const READ = `
  select position, floor(extract(epoch from written_at) * 1000)::bigint as "writtenAt", pending,
         message_id as "messageId", ordered_by as "orderedBy", queue, content
  from outbox
  where position > $2 and position <> all($3::bigint[]) and pending & $4 <> 0
    and case when $5::text is null then queue is null or queue <> all($6::text[]) else queue = $5 end
  order by position limit $7`

/** A sweep may have withdrawn the other destinations of an entry meanwhile: it is deleted then. */
const MARK = `
  marks as (select * from unnest($8::bigint[], $9::smallint[]) as m (position, destinations)),
  emptied as (delete from outbox o using marks m
              where o.position = m.position and o.pending & ~m.destinations = 0),
  marked as (update outbox o set pending = o.pending & ~m.destinations from marks m
             where o.position = m.position and o.pending & ~m.destinations <> 0)`

const EXCHANGE = { name: 'outbox-exchange', text: `with ${REMOVE} ${READ}` }

const EXCHANGE_AND_MARK = {
  name: 'outbox-exchange-and-mark',
  text: `with ${REMOVE}, ${MARK} ${READ}`,
}

/**
 * An unused sequence reports its first value as the last one. Snapshots do not know ids that are higher than those of
 * all ended transactions, so the next one is used, while there is something to find out.
 */
const HORIZON = `
  select position, pg_snapshot_xmin(pg_current_snapshot()) as oldest,
         case when position > $1 then pg_current_xact_id() end as next
  from (select last_value - (not is_called)::int as position from outbox_position_seq) as sequence`

/**
 * The statements of a relay. They use the connection that holds the leader lock, so a relay that lost it cannot write.
 */
export class OutboxStore {
  readonly #client: pg.ClientBase

  constructor(client: pg.ClientBase) {
    this.#client = client
  }

  /**
   * Writes marks and deletes the entries that need no other, all or none of them, and reads the next entries as they were
   * before.
   */
  async exchange(marks: readonly Mark[], selection = NOTHING): Promise<Entry[]> {
    const removed = marks.filter(({ isLast }) => isLast).map(({ position }) => position)
    const partial = marks.filter(({ isLast }) => !isLast)
    const { destinations, queue, exceptQueues, above, except, limit } = selection
    const values = [removed, above, except, destinations, queue, exceptQueues, limit]
    const positions = partial.map(({ position }) => position)
    const reached = partial.map((mark) => mark.destinations)
    const { rows } = await this.#client.query<Row>(
      partial.length === 0
        ? { ...EXCHANGE, values }
        : { ...EXCHANGE_AND_MARK, values: [...values, positions, reached] }
    )
    return rows.map((row) => ({
      ...row,
      position: Number(row.position),
      writtenAt: Number(row.writtenAt),
    }))
  }

  async horizon(floor: number): Promise<Horizon> {
    const { rows } = await this.#client.query<HorizonRow>(HORIZON, [floor])
    const { position, oldest, next } = rows[0]!
    return {
      position: Number(position),
      oldest: BigInt(oldest),
      next: next === null ? undefined : BigInt(next),
    }
  }
}
