import pg from 'pg'

import { PORTION, type FormerDatabase, type ReadRequest, type Texts } from './former_database.js'

const AS_TEXT = { getTypeParser: () => (value: unknown) => value }

export class FormerPostgres implements FormerDatabase {
  readonly #client: pg.Client
  #cursors = 0

  static async open(url: string): Promise<FormerPostgres> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'analysis-hub adoption',
      connectionTimeoutMillis: 10_000,
    })
    // A broken connection rejects the pending query.
    client.on('error', () => {})
    await client.connect()
    await client.query(`set datestyle = 'ISO'`)
    await client.query(`set timezone = 'UTC'`)
    await client.query('set statement_timeout = 0')
    await client.query('set idle_in_transaction_session_timeout = 0')
    await client.query('begin isolation level repeatable read read only')
    return new FormerPostgres(client)
  }

  private constructor(client: pg.Client) {
    this.#client = client
  }

  columnsOf(table: string): Promise<string[]> {
    return this.texts(`select column_name from information_schema.columns
      where table_schema = current_schema() and table_name = '${table}'`)
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
    const cursor = `reading_${++this.#cursors}`
    const condition =
      after && `(${order.join()}) > (${after.map((value) => pg.escapeLiteral(value)).join()})`
    const conditions = [where, condition].filter(Boolean).join(' and ')
    await this.#client.query(`declare ${cursor} no scroll cursor for
      select ${columns.join()} from ${table} ${conditions && `where ${conditions}`}
      order by ${order.join()}`)
    try {
      for (;;) {
        const { rows } = await this.#client.query<Record<string, string | null>>({
          text: `fetch ${PORTION} from ${cursor}`,
          types: AS_TEXT,
        })
        if (rows.length === 0) {
          return
        }
        yield rows
      }
    } finally {
      await this.#client.query(`close ${cursor}`).catch(() => {})
    }
  }

  async texts(query: string): Promise<string[]> {
    const { rows } = await this.#client.query<string[]>({
      text: query,
      rowMode: 'array',
      types: AS_TEXT,
    })
    return rows.map(([text]) => text!)
  }

  close(): Promise<void> {
    return this.#client.end()
  }
}
