import type pg from 'pg'

import { PORTION, type FormerDatabase, type Texts } from '#adopt/former/former_database'

/** Reads rows in batches, here or at the source. */
export type RowSource = Pick<FormerDatabase, 'read'>

const AS_TEXT = { getTypeParser: () => (value: unknown) => value }
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Reads tables of this installation, ordered by ID, as those of the source are read. */
export function ownRows(pool: pg.Pool): RowSource {
  return {
    async *read({ table, columns, where = 'true' }): AsyncIterable<readonly Texts[]> {
      let after = FIRST_ID
      for (;;) {
        const { rows } = await pool.query<Texts>({
          text: `select ${columns.join()} from ${table} where (${where}) and id > $1
            order by id limit ${PORTION}`,
          values: [after],
          types: AS_TEXT,
        })
        if (rows.length === 0) {
          return
        }
        yield rows
        after = rows.at(-1)!.id!
      }
    },
  }
}
