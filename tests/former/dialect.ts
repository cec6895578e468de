import mysql from 'mysql2/promise'
import pg from 'pg'

/** A database server that the former platform supports. */
export interface Dialect {
  /** Converts a column definition from `tables.md`. */
  column(listed: string): string
  /** A deterministic ID for a kind and a number. */
  id(kind: string, number: string): string
  /** A text literal. */
  text(value: string): string
  /** A time in seconds after 1 November 2026. */
  time(seconds: string): string
  /** Integer division. */
  quotient(number: string, by: number): string
  /** A series of numbers, selected as `n`. */
  series(count: number): string
  /** Runs statements in a database. */
  run(url: string, statements: readonly string[]): Promise<void>
  /** The only row of a query. */
  request(url: string, query: string): Promise<Record<string, unknown>>
}

const BEGINNING = '2026-11-01 00:00:00'

export const POSTGRES: Dialect = {
  column: (listed) => listed.replace('uuid_generate_v4()', 'gen_random_uuid()'),
  id: (kind, number) => `md5(concat('${kind}', ${number}))::uuid`,
  text: (value) => pg.escapeLiteral(value),
  // Only milliseconds are copied.
  time: (seconds) =>
    `timestamp '${BEGINNING}' + (${seconds}) * interval '1 second' + interval '123789 microseconds'`,
  quotient: (number, by) => `((${number}) / ${by})`,
  series: (count) => `(select generate_series(1, ${count}) as n) s`,
  async run(url, statements) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      for (const statement of statements) {
        await client.query(statement)
      }
    } finally {
      await client.end()
    }
  },
  async request(url, query) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(query)).rows[0]
    } finally {
      await client.end()
    }
  },
}

const MYSQL_TYPES: readonly (readonly [RegExp, string])[] = [
  [/ default uuid_generate_v4\(\)/, ''],
  [/ uuid\b/, ' varchar(36)'],
  [/ varchar(?! ?\()/, ' varchar(2048)'],
  [/ boolean\b/, ' tinyint'],
  [/ default true/, ' default 1'],
  [/ default false/, ' default 0'],
  [/ timestamp\b/, ' datetime'],
]

export const MYSQL: Dialect = {
  column: (listed) => MYSQL_TYPES.reduce((text, [from, to]) => text.replace(from, to), listed),
  id(kind, number) {
    const digits = `md5(concat('${kind}', ${number}))`
    const part = (start: number, length: number) => `substr(${digits}, ${start}, ${length})`
    return `concat_ws('-', ${part(1, 8)}, ${part(9, 4)}, ${part(13, 4)}, ${part(17, 4)}, ${part(21, 12)})`
  },
  text: (value) => mysql.escape(value),
  time: (seconds) => `date_add('${BEGINNING}', interval (${seconds}) second)`,
  quotient: (number, by) => `((${number}) div ${by})`,
  series: (count) => `(select seq as n from seq_1_to_${count}) s`,
  async run(url, statements) {
    const connection = await mysql.createConnection({ uri: url, charset: 'utf8mb4' })
    try {
      for (const statement of statements) {
        await connection.query(statement)
      }
    } finally {
      await connection.end()
    }
  },
  async request(url, query) {
    const connection = await mysql.createConnection({ uri: url, charset: 'utf8mb4' })
    try {
      const [rows] = await connection.query<mysql.RowDataPacket[]>(query)
      return rows[0]!
    } finally {
      await connection.end()
    }
  },
}
