import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { Ignitor } from '@adonisjs/core'
import pg from 'pg'

import { EmbeddedPostgres } from '#embedded/embedded_postgres'
import { quickPostgres } from '#tests/helpers/database/quick_postgres'

/** The default database of an installation. */
const TEMPLATE = 'hub'

/**
 * Empty databases with all tables, created in a tenth of a second from a migrated template.
 */
export class DatabaseTemplate {
  readonly #server: EmbeddedPostgres
  /** What whole installations may begin with instead of making it. */
  readonly cluster: string
  #made = 0

  private constructor(server: EmbeddedPostgres, cluster: string) {
    this.#server = server
    this.cluster = cluster
  }

  static async prepare(folder: string): Promise<DatabaseTemplate> {
    const dataDir = join(folder, 'postgres')
    const first = await quickPostgres(dataDir)
    process.env.DATABASE_URL = first.url
    await migrateAll()
    delete process.env.DATABASE_URL
    await first.stop()
    const cluster = join(folder, 'cluster')
    await mkdir(cluster, { mode: 0o700 })
    await promisify(execFile)('cp', [
      '-a',
      join(dataDir, 'cluster'),
      join(dataDir, 'password'),
      cluster,
    ])
    return new DatabaseTemplate(await EmbeddedPostgres.start({ dataDir }), cluster)
  }

  /** Answers the address of a new database. */
  async createTemplate(): Promise<string> {
    const name = `tests_${++this.#made}`
    const client = new pg.Client({ connectionString: this.#server.urlOf('postgres') })
    await client.connect()
    await client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`)
    await client.end()
    return this.#server.urlOf(name)
  }

  stop(): Promise<void> {
    return this.#server.stop()
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
