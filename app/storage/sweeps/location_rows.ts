import { storagePool } from '#storage/database'
import type { Layout } from '#storage/objects/layout'

export interface LocationRow {
  readonly bucketId: string
  readonly layout: Layout
  /** Whether the bucket exists. */
  readonly isUsed: boolean
}

const PAGE = 500

const NEXT_PAGE = `
  select p.bucket_id as "bucketId", p.layout, b.id is not null as "isUsed"
  from bucket_locations p left join buckets b on b.id = p.bucket_id
  where (p.bucket_id, p.layout) > ($1::uuid, $2::text)
    and p.registered_at < now() - $3 * interval '1 millisecond'
  order by p.bucket_id, p.layout limit ${PAGE}`

/** The locations older than the grace period. */
export async function* locationsOlderThan(
  graceMs: number
): AsyncGenerator<LocationRow, void, undefined> {
  let last: [string, string] = ['00000000-0000-0000-0000-000000000000', '']
  for (;;) {
    const { rows } = await storagePool().query<LocationRow>(NEXT_PAGE, [...last, graceMs])
    yield* rows
    if (rows.length < PAGE) {
      return
    }
    const { bucketId, layout } = rows.at(-1)!
    last = [bucketId, layout]
  }
}
