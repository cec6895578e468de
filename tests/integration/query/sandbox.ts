import { randomUUID } from 'node:crypto'

import pg from 'pg'

import type { ColumnType, Declaration } from '#query/declaration'
import type { Statement } from '#query/sql/statement'
import { columnOf, quoteName } from '#query/sql/identifiers'

const COLUMN_TYPES: Record<ColumnType, string> = {
  uuid: 'uuid',
  text: 'text',
  boolean: 'boolean',
  integer: 'integer',
  bigint: 'bigint',
  number: 'double precision',
  timestamp: 'timestamptz',
  json: 'jsonb',
  jsonText: 'text',
}

type Row = Record<string, unknown>

/** Tables in a PostgreSQL schema of the test, dropped on close. */
export class Sandbox {
  readonly #client: pg.Client
  readonly #schema: string

  private constructor(client: pg.Client, schema: string) {
    this.#client = client
    this.#schema = schema
  }

  static async open(declarations: readonly Declaration[]): Promise<Sandbox> {
    const schema = `query_${randomUUID().replaceAll('-', '')}`
    const client = new pg.Client({
      connectionString: process.env.DATABASE_URL,
      options: `-c search_path=${schema}`,
    })
    await client.connect()
    await client.query(`create schema ${schema}`)
    const sandbox = new Sandbox(client, schema)
    for (const declaration of declarations) {
      await sandbox.#createTable(declaration)
    }
    return sandbox
  }

  async close(): Promise<void> {
    try {
      await this.#client.query(`rollback; drop schema ${this.#schema} cascade`)
    } finally {
      await this.#client.end()
    }
  }

  /** Runs a change and rolls it back. */
  async undone(change: () => Promise<void>): Promise<void> {
    await this.#client.query('begin')
    try {
      await change()
    } finally {
      await this.#client.query('rollback')
    }
  }

  async insert(declaration: Declaration, rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      const names = Object.keys(row)
      const columns = names.map((name) => quoteName(columnOf(name, declaration.properties[name]!)))
      const places = names.map((_, index) => `$${index + 1}`)
      await this.#client.query(
        `insert into ${quoteName(declaration.table)} (${columns}) values (${places})`,
        Object.values(row)
      )
    }
  }

  async run<Result>(statement: Statement): Promise<Result[]> {
    const { rows } = await this.execute(statement)
    return rows as Result[]
  }

  async execute({ name, text, values }: Statement): Promise<pg.QueryResult> {
    return this.#client.query({ name, text, values: [...values] })
  }

  async #createTable({ table, properties }: Declaration): Promise<void> {
    const columns = Object.entries(properties)
      .filter(([, { computed }]) => !computed)
      .map(([name, property]) => {
        const key = name === 'id' ? ' primary key' : ''
        return `${quoteName(columnOf(name, property))} ${COLUMN_TYPES[property.type]}${key}`
      })
    await this.#client.query(`create table ${quoteName(table)} (${columns.join(', ')})`)
  }
}
