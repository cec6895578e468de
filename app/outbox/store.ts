import type pg from 'pg'

import type { Content, Entry } from './entry.js'
import type { DeliveryProgress } from './feed.js'

/** Selects pending entries of the destinations, except those of some queues. */
export interface Selection {
  readonly destinations: number
  readonly queue?: string
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
  /** The oldest running transaction. */
  readonly oldest: bigint
  /** The id of the next transaction. */
  readonly next: bigint
}

const READ = `
  select position, floor(extract(epoch from written_at) * 1000)::bigint as "writtenAt", pending,
         message_id as "messageId", ordered_by as "orderedBy", queue, content
  from outbox
  where position > $2 and position <> all($3::bigint[]) and pending & $4 <> 0
    and case when $5::text is null then queue is null or queue <> all($6::text[]) else queue = $5 end
  order by position limit $7`

const REMOVE_AND_READ = `with done as (delete from outbox where position = any($1::bigint[])) ${READ}`

const REMOVE = 'delete from outbox where position = any($1::bigint[])'

const MARK = `
  with reached as (select * from unnest($1::bigint[], $2::smallint[]) as r (position, destinations)),
       done as (delete from outbox o using reached r
                where o.position = r.position and o.pending & ~r.destinations = 0)
  update outbox o set pending = o.pending & ~r.destinations from reached r
  where o.position = r.position and o.pending & ~r.destinations <> 0`

/** An unused sequence reports its first value as the last one. */
const HORIZON = `
  select last_value - (not is_called)::int as position,
         pg_snapshot_xmin(s) as oldest, pg_snapshot_xmax(s) as next
  from outbox_position_seq, pg_current_snapshot() s`

/**
 * The statements of a relay. They use the connection that holds the leader lock, so a relay that lost it cannot write.
 */
export class OutboxStore {
  readonly #client: pg.ClientBase

  constructor(client: pg.ClientBase) {
    this.#client = client
  }

  /** Marks or deletes delivered entries and reads the next ones, mostly in one statement. */
  async exchange(
    finished: readonly DeliveryProgress[],
    selection: Selection | undefined
  ): Promise<Entry[]> {
    const partial = finished.filter(({ isDone }) => !isDone)
    if (partial.length > 0) {
      await this.#mark(partial)
    }
    const done = finished.filter(({ isDone }) => isDone).map(({ position }) => position)
    if (selection) {
      return this.#read(done, selection)
    }
    if (done.length > 0) {
      await this.#client.query({ name: 'outbox-remove', text: REMOVE, values: [done] })
    }
    return []
  }

  async horizon(): Promise<Horizon> {
    const { rows } = await this.#client.query<Record<keyof Horizon, string>>(HORIZON)
    const { position, oldest, next } = rows[0]!
    return { position: Number(position), oldest: BigInt(oldest), next: BigInt(next) }
  }

  async #read(done: readonly number[], selection: Selection): Promise<Entry[]> {
    const { destinations, queue = null, exceptQueues, above, except, limit } = selection
    const { rows } = await this.#client.query<Row>({
      name: 'outbox-remove-and-read',
      text: REMOVE_AND_READ,
      values: [done, above, [...except, ...done], destinations, queue, exceptQueues, limit],
    })
    return rows.map((row) => ({
      ...row,
      position: Number(row.position),
      writtenAt: Number(row.writtenAt),
    }))
  }

  async #mark(partial: readonly DeliveryProgress[]): Promise<void> {
    await this.#client.query({
      name: 'outbox-mark',
      text: MARK,
      values: [partial.map(({ position }) => position), partial.map(({ reached }) => reached)],
    })
  }
}
