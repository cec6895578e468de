import type { Connection, RowDataPacket } from 'mysql2'
import mysql from 'mysql2'

import { PORTION, type FormerDatabase, type ReadRequest, type Texts } from './former_database.js'

/** MySQL and MariaDB. A connection cannot run another query while it streams rows, so each read opens its own. */
export class FormerMysql implements FormerDatabase {
  readonly #url: string
  readonly #connection: Connection

  static async open(url: string): Promise<FormerMysql> {
    return new FormerMysql(url, await connect(url))
  }

  private constructor(url: string, connection: Connection) {
    this.#url = url
    this.#connection = connection
  }

  columnsOf(table: string): Promise<string[]> {
    return this.texts(`select column_name from information_schema.columns
      where table_schema = database() and table_name = '${table}'`)
  }

  async count(table: string, where?: string): Promise<number> {
    const [count] = await this.texts(
      `select count(*) from ${table} ${where ? `where ${where}` : ''}`
    )
    return Number(count)
  }

  async *read({
    table,
    columns,
    order,
    after,
    where,
  }: ReadRequest): AsyncIterable<readonly Texts[]> {
    const reading = await connect(this.#url)
    const conditions = [where, after && conditionAfter(order, after)].filter(Boolean).join(' and ')
    const rows = reading
      .query<RowDataPacket[]>(
        `select ${columns.map(quoted).join()} from ${table} ${conditions && `where ${conditions}`} order by ${order.join()}`
      )
      .stream({ highWaterMark: PORTION })
    try {
      let portion: Texts[] = []
      for await (const row of rows) {
        portion.push(row as Texts)
        if (portion.length === PORTION) {
          yield portion
          portion = []
        }
      }
      if (portion.length > 0) {
        yield portion
      }
    } finally {
      // Does not wait for unread rows.
      reading.destroy()
    }
  }

  async texts(query: string): Promise<string[]> {
    const [rows] = await this.#connection.promise().query<RowDataPacket[]>(query)
    return rows.map((row) => String(Object.values(row)[0]))
  }

  async close(): Promise<void> {
    await this.#connection.promise().end()
  }
}

/**
 * Long timeouts, because the server waits while rows are written here. UTC, because times are compared with those of
 * the server.
 */
const SETTINGS = [
  `set session net_write_timeout = 3600`,
  `set session wait_timeout = 86400`,
  `set session time_zone = '+00:00'`,
  'set session transaction isolation level repeatable read',
  'start transaction with consistent snapshot, read only',
]

async function connect(url: string): Promise<Connection> {
  const connection = mysql.createConnection({
    uri: url,
    connectTimeout: 10_000,
    charset: 'utf8mb4',
    typeCast: (field) => field.string(),
  })
  connection.on('error', () => {})
  try {
    for (const setting of SETTINGS) {
      await connection.promise().query(setting)
    }
  } catch (error) {
    connection.destroy()
    throw error
  }
  return connection
}

const quoted = (name: string) => `\`${name}\``

/** Spelled out, because not every server uses an index for row comparisons. */
function conditionAfter(order: readonly string[], after: readonly string[]): string {
  const alternatives = order.map((name, at) => {
    const same = order.slice(0, at).map((one, i) => `${one} = ${mysql.escape(after[i])}`)
    return [...same, `${name} > ${mysql.escape(after[at])}`].join(' and ')
  })
  return `(${alternatives.map((one) => `(${one})`).join(' or ')})`
}
