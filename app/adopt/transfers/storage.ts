import type { Transfer } from '#adopt/transfer'
import { sizeOrNone } from './size.js'

const service = 'storage'
const TIMES = ['created_at', 'updated_at'] as const

/** Each bucket had its own container and used the `hash` of a file as key. This is our layout `own`. */
export const LAYOUT = 'own'

export const STORAGE: readonly Transfer[] = [
  {
    service,
    table: 'buckets',
    columns: ['id', 'name', 'region', 'actor_id', 'actor_type', 'realm_id', ...TIMES],
    /** Records the layout of each bucket, so that its objects are removed with it. */
    async afterInsert(transaction, rows) {
      await transaction.query(
        `insert into bucket_locations (bucket_id, layout) select unnest($1::uuid[]), $2
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
