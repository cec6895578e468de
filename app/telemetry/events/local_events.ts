import type { DatabasePool } from '#database/database_pool'
import { writtenRecord } from '#query/sql/written_record'
import { BadRequest } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import { event } from './event.js'

interface EventQuery {
  readonly refType: string
  readonly refId: string
  readonly from?: string
  readonly until?: string
  readonly limit: number
  readonly cursor?: string
}

const READ = {
  name: 'events-about-a-record',
  text: `
    select ${writtenRecord(event.declaration)} as data from events r
    where lower(r.ref_type) = lower($1) and lower(r.ref_id) = lower($2)
      and r.created_at >= coalesce($3::timestamptz, '-infinity')
      and r.created_at < coalesce($4::timestamptz, 'infinity')
      and ($5::timestamptz is null or r.created_at <= $5 and (r.created_at, r.id) < ($5, $6::uuid))
    order by r.created_at desc, r.id desc limit $7`,
}

/** The audit trail for other surfaces of this process, which check permissions themselves. */
export function localEvents(pool: DatabasePool) {
  return {
    async read({ refType, refId, from, until, limit, cursor }: EventQuery) {
      const [time, id] = cursor === undefined ? [null, null] : parseCursor(cursor)
      const values = [refType, refId, from ?? null, until ?? null, time, id, limit + 1]
      const { rows } = await pool.read<{ data: string }>({ ...READ, values })
      const events = rows.slice(0, limit).map(({ data }) => JSON.parse(data))
      const last = rows.length > limit ? events.at(-1) : undefined
      return { events, ...(last && { next: `${last.createdAt}_${last.id}` }) }
    },
  }
}

function parseCursor(cursor: string): [time: string, id: string] {
  const [, time, id] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([\da-f-]{36})$/.exec(cursor) ?? []
  if (time === undefined || id === undefined || !isUuid(id)) {
    throw new BadRequest('The cursor is invalid; start with the first page')
  }
  return [time, id]
}
