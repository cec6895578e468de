import type pg from 'pg'

export type ValueType = 'uuid' | 'text' | 'boolean' | 'integer' | 'bigint' | 'time'

interface ColumnShape {
  readonly name: string
  readonly type: ValueType
  /** The type name in PostgreSQL. */
  readonly sqlType: string
  readonly isNullable: boolean
  /** Maximum characters of a text. */
  readonly maxLength: number | undefined
}

interface Reference {
  readonly column: string
  readonly table: string
}

/** Columns and constraints of one of our tables. */
export interface TableShape {
  readonly columns: ReadonlyMap<string, ColumnShape>
  readonly references: readonly Reference[]
  /** Unique constraints other than the primary key. */
  readonly uniques: readonly (readonly string[])[]
}

const TYPES: Readonly<Record<string, ValueType>> = {
  'uuid': 'uuid',
  'text': 'text',
  'character varying': 'text',
  'boolean': 'boolean',
  'integer': 'integer',
  'bigint': 'bigint',
  'timestamp with time zone': 'time',
}

const COLUMNS = `select column_name as name, data_type as type, is_nullable = 'YES' as "isNullable",
    character_maximum_length as most
  from information_schema.columns where table_schema = current_schema() and table_name = $1`

const KEYS = `select contype as type, confrelid::regclass::text as other, (
    select array_agg(a.attname::text order by k.place) from unnest(conkey) with ordinality k (number, place)
    join pg_attribute a on a.attrelid = conrelid and a.attnum = k.number) as columns
  from pg_constraint where conrelid = to_regclass($1) and contype in ('f', 'u')`

/** Reads the shape of a table from the catalog. */
export async function shapeOf(pool: pg.Pool, table: string): Promise<TableShape> {
  const columns = await pool.query<{
    name: string
    type: string
    isNullable: boolean
    most: number | null
  }>(COLUMNS, [table])
  const keys = await pool.query<{ type: 'f' | 'u'; other: string; columns: string[] }>(KEYS, [
    table,
  ])
  return {
    columns: new Map(
      columns.rows.map(({ name, type, isNullable, most }) => [
        name,
        {
          name,
          type: TYPES[type] ?? 'text',
          sqlType: type,
          isNullable,
          maxLength: most ?? undefined,
        },
      ])
    ),
    references: keys.rows
      .filter(({ type }) => type === 'f')
      .map(({ columns: [column], other }) => ({ column: column!, table: other })),
    uniques: keys.rows.filter(({ type }) => type === 'u').map((key) => key.columns),
  }
}
