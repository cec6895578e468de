import pg from 'pg'

import { databaseFailure } from '#kernel/database_failures'
import { EntityConflict } from '#kernel/failures'
import { quoteName } from '#query/sql/identifiers'

/** The row that violated a unique key, by its columns. */
interface WrittenRow {
  readonly table: string
  readonly values: ReadonlyMap<string, unknown>
  /** Attribute names by column. */
  readonly names: ReadonlyMap<string, string>
}

interface UniqueKey {
  /** The expressions of the key, as SQL. */
  readonly parts: readonly string[]
  readonly predicate: string | null
}

const UNIQUE_KEYS = `
  select pg_get_expr(i.indpred, i.indrelid) as predicate,
    (select json_agg(pg_get_indexdef(i.indexrelid, place, false) order by place)
     from generate_series(1, i.indnkeyatts::int) as place) as parts
  from pg_index i
  where i.indrelid = $1::regclass and i.indisunique`

const UNIQUE_VIOLATION = '23505'

/**
 * A write violated a unique key. PostgreSQL reports only one key; `findAllKeys` finds the others after the transaction
 * has ended.
 */
export class DuplicateKey extends EntityConflict {
  readonly #row: WrittenRow

  private constructor(reported: EntityConflict, row: WrittenRow) {
    super(reported.message, { issues: reported.issues, cause: reported.cause })
    this.#row = row
  }

  /** Converts a unique violation into a DuplicateKey; returns any other error unchanged. */
  static from(error: unknown, row: WrittenRow): unknown {
    const isViolation = error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION
    const reported = isViolation && databaseFailure(error)
    return reported ? new DuplicateKey(reported, row) : error
  }

  /** Lists every violated key. The reported one is included even if it is free by now. */
  async findAllKeys(pool: Pick<pg.Pool, 'query'>): Promise<EntityConflict> {
    const { table, names } = this.#row
    const { rows: keys } = await pool.query<UniqueKey>(UNIQUE_KEYS, [quoteName(table)])
    const taken = await this.#duplicatesAmong(keys, pool)
    const reported = this.issues.map(({ path }) => path)
    const found = taken.map(({ parts }) => parts.flatMap((part) => attributeIn(part, names)))
    const all = new Map([...reported, ...found].map((path) => [path.join(), path]))
    return EntityConflict.duplicateKeys([...all.values()], this.cause)
  }

  async #duplicatesAmong(
    keys: readonly UniqueKey[],
    pool: Pick<pg.Pool, 'query'>
  ): Promise<UniqueKey[]> {
    const { table, values } = this.#row
    const checks = keys.map((key, index) => `${isTakenSql(table, key)} as "${index}"`)
    const { rows } = await pool.query<Record<string, boolean>>(`select ${checks.join(', ')}`, [
      JSON.stringify(Object.fromEntries(values)),
    ])
    return keys.filter((_, index) => rows[0]![index])
  }
}

/**
 * SQL that checks whether another row has the same key as the row sent as JSON. Columns that are not sent keep their
 * current value.
 */
function isTakenSql(table: string, { parts, predicate }: UniqueKey): string {
  const name = quoteName(table)
  const where = predicate === null ? '' : `where ${predicate}`
  const columns = ['id', ...parts.map((part, index) => `${part} as k${index}`)].join(', ')
  const same = parts.map((_, index) => `here.k${index} = sent.k${index}`).join(' and ')
  return `exists (
    select from (select ${columns} from ${name} ${where}) as here,
      (select ${columns} from jsonb_populate_record(
        (select was from ${name} as was where was.id = ($1::jsonb ->> 'id')::uuid), $1::jsonb
      ) ${where}) as sent
    where here.id is distinct from sent.id and ${same})`
}

function attributeIn(part: string, names: ReadonlyMap<string, string>): string[] {
  const column = part.match(/\w+/g)?.find((word) => names.has(word))
  return column === undefined ? [] : [names.get(column)!]
}
