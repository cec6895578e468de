import type pg from 'pg'

import { statement } from '#query/sql/statement'
import type { BucketType } from './analysis_bucket.js'

/** A bucket without a request of its type was not added by a caller beside the built-in one: it takes its place. */
export const TAKES_PLACE = `not exists (
  select 1 from analysis_bucket_requests r where r.analysis_id = b.analysis_id and r.type = b.type)`

const MARK = `with marked as (
    update analysis_buckets set built_in = true where id in (
      select distinct on (b.type) b.id from analysis_buckets b
      where b.analysis_id = $1 and ${TAKES_PLACE}
        and not exists (
          select 1 from analysis_buckets o
          where o.analysis_id = b.analysis_id and o.type = b.type and o.built_in)
      order by b.type, b.created_at, b.id)
    returning type)
  select type from analysis_buckets where analysis_id = $1 and built_in union select type from marked`

/**
 * The types of built-in buckets that an analysis has. Marks those that processes of a version without the mark have added.
 * The caller has locked the analysis.
 */
export async function markBuiltIn(
  transaction: pg.ClientBase,
  analysisId: string
): Promise<ReadonlySet<BucketType>> {
  const { rows } = await transaction.query<{ type: BucketType }>(statement(MARK, [analysisId]))
  return new Set(rows.map(({ type }) => type))
}
