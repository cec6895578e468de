import type { Transfer } from '#adopt/transfer'
import { sizeOrNone } from './size.js'

const service = 'storage'
const TIMES = ['created_at', 'updated_at'] as const

/** Each bucket had a container of its own, and the `hash` of a file was its key there: that is our layout `own`. */
export const LAYOUT = 'own'

export const STORAGE: readonly Transfer[] = [
  {
    service,
    table: 'buckets',
    columns: ['id', 'name', 'region', 'actor_id', 'actor_type', 'realm_id', ...TIMES],
    /** Where objects are is known with the bucket, so that they go with it. */
    async afterInsert(transaction, rows) {
      await transaction.query(
        `insert into bucket_places (bucket_id, layout) select unnest($1::uuid[]), $2
         on conflict do nothing`,
        [rows.map(({ id }) => id), LAYOUT]
      )
    },
  },
  {
    service,
    table: 'bucket_files',
    columns: [
      ...['id', 'name', 'path', 'hash', 'directory', 'size', 'actor_type', 'actor_id'],
      ...['realm_id', 'bucket_id', ...TIMES],
    ],
    computed: { layout: `'${LAYOUT}'` },
    convert(values) {
      values.size = sizeOrNone(values.size)
    },
  },
]
