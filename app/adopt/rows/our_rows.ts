import type pg from 'pg'

import { PORTION, type Texts } from '#adopt/former/former_database'
import type { Transfer } from '#adopt/transfer'
import { unseal } from '#records/sealing'

const AS_TEXT = { getTypeParser: () => (value: unknown) => value }
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** A row here in the form of its source, and its digest when it was copied. The digest is null if it was not copied. */
export interface OurRow {
  readonly texts: Texts
  readonly takenDigest: string | null
}

const TIMES = 'timestamp with time zone'

/** Reads rows of a table with their recorded digests. */
export class OurRows {
  readonly #transfer: Transfer
  readonly #columns: string

  constructor(transfer: Transfer, types: ReadonlyMap<string, { readonly sqlType: string }>) {
    this.#transfer = transfer
    const names = [...transfer.columns, ...(transfer.derived ?? [])]
    this.#columns = names
      .map((name) =>
        types.get(name)?.sqlType === TIMES
          ? `(t.${name} at time zone 'utc')::text as ${name}`
          : `t.${name}::text as ${name}`
      )
      .join()
  }

  /** The digests of rows when they were copied. */
  async takenDigests(on: pg.ClientBase, ids: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await on.query<{ id: string; digest: string }>(
      `select id, encode(digest, 'hex') as digest from adopted_rows
       where table_name = $1 and id = any($2::uuid[])`,
      [this.#transfer.table, ids]
    )
    return new Map(rows.map(({ id, digest }) => [id, digest]))
  }

  async withIds(on: pg.ClientBase, ids: readonly string[]): Promise<Map<string, Texts>> {
    if (ids.length === 0) {
      return new Map()
    }
    const { rows } = await on.query<Texts>({
      text: `select ${this.#columns} from ${this.#transfer.table} t where id = any($1::uuid[])`,
      values: [ids],
      types: AS_TEXT,
    })
    return new Map(rows.map((texts) => [texts.id!, this.#toOurRow(texts).texts]))
  }

  /** All rows, ordered by ID. */
  async *all(pool: pg.Pool): AsyncIterable<readonly OurRow[]> {
    const { table } = this.#transfer
    let after = FIRST_ID
    for (;;) {
      const { rows } = await pool.query<Texts>({
        text: `select ${this.#columns}, encode(a.digest, 'hex') as taken_digest
          from (select * from ${table} where id > $1 order by id limit ${PORTION}) t
            left join adopted_rows a on a.table_name = $2 and a.id = t.id order by t.id`,
        values: [after, table],
        types: AS_TEXT,
      })
      if (rows.length === 0) {
        return
      }
      yield rows.map((texts) => this.#toOurRow(texts))
      after = rows.at(-1)!.id!
    }
  }

  #toOurRow(texts: Texts): OurRow {
    const { secrets = {} } = this.#transfer
    const opened = Object.entries(secrets).map(([name, purpose]) => [
      name,
      unseal(purpose, texts[name] ?? null),
    ])
    return {
      texts: { ...texts, ...Object.fromEntries(opened) },
      takenDigest: texts.taken_digest ?? null,
    }
  }
}
