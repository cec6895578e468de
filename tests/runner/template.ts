import { Ignitor } from '@adonisjs/core'
import pg from 'pg'

import type { EmbeddedPostgres } from '#embedded/embedded_postgres'

const TEMPLATE = 'template_of_tests'

/**
 * Databases with all tables and nothing in them, each made in a tenth of a second from one that was migrated once.
 */
export class DatabaseTemplate {
  readonly #server: EmbeddedPostgres
  #made = 0

  private constructor(server: EmbeddedPostgres) {
    this.#server = server
  }

  static async prepare(server: EmbeddedPostgres): Promise<DatabaseTemplate> {
    await run(server, `create database ${TEMPLATE}`)
    process.env.DATABASE_URL = server.urlOf(TEMPLATE)
    await migrateAll()
    delete process.env.DATABASE_URL
    return new DatabaseTemplate(server)
  }

  /** Answers the address of a new database. */
  async make(): Promise<string> {
    const name = `tests_${++this.#made}`
    await run(this.#server, `create database ${name} template ${TEMPLATE}`)
    return this.#server.urlOf(name)
  }
}

async function migrateAll(): Promise<void> {
  const root = new URL('../../', import.meta.url)
  const importer = (path: string) => import(path.startsWith('./') ? new URL(path, root).href : path)
  const app = new Ignitor(root, { importer }).createApp('test')
  await app.init()
  await app.boot()
  const { migrate } = await import('#database/migrator')
  const { SURFACE_NAMES } = await import('#configuration/surfaces')
  await migrate(app, SURFACE_NAMES)
  await app.terminate()
}

async function run(server: EmbeddedPostgres, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(statement)
  await client.end()
}
