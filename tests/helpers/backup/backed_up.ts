import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import pg from 'pg'

import { applicationKey } from '#configuration/application_key'
import { tablesToCopy } from '#backup/tables/table_list'
import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
import type { ObjectStore } from '#storage/objects/object_store'
import { DriveAnchor, inFolder } from '#telemetry/trail/drive_anchor'
import { env } from '#start/env'
import { emptyDatabase } from '#tests/helpers/database/empty_database'
import { HubCommand } from '#tests/helpers/hub_command'

type Variables = Record<string, string | undefined>

/** An installation under backup: a database, a folder of objects, and the commands for both. */
export class BackedUp {
  readonly folder: string
  readonly variables: Variables
  readonly store: ObjectStore
  readonly pool: pg.Pool
  /** The anchor of its audit trail. */
  readonly anchor: DriveAnchor
  readonly #stop: () => Promise<void>

  /** An empty installation without tables. */
  static async empty(parent: string, variables: Variables): Promise<BackedUp> {
    const database = await emptyDatabase()
    const folder = join(parent, `restored-${randomBytes(4).toString('hex')}`)
    await mkdir(folder)
    const own = { ...variables, DATABASE_URL: database.url }
    return new BackedUp(folder, own, database.pool, () => database.stop())
  }

  /** The installation of this test run. */
  static async own(parent: string, variables: Variables): Promise<BackedUp> {
    const folder = join(parent, 'original')
    await mkdir(folder)
    const url = process.env.DATABASE_URL!
    const pool = new pg.Pool({ connectionString: url })
    // The database may stop before the last connection is closed.
    pool.on('error', () => {})
    return new BackedUp(folder, { ...variables, DATABASE_URL: url }, pool, () => pool.end())
  }

  private constructor(
    folder: string,
    variables: Variables,
    pool: pg.Pool,
    stop: () => Promise<void>
  ) {
    const path = join(folder, 'objects')
    this.folder = folder
    this.variables = {
      APP_KEY: applicationKey(env),
      LOG_LEVEL: 'error',
      STORAGE_PATH: path,
      ...variables,
    }
    this.store = new FsObjectStore(path)
    this.anchor = new DriveAnchor(
      new Disk(new FSDriver({ location: path, visibility: 'private' })),
      inFolder(path)
    )
    this.pool = pool
    this.#stop = stop
  }

  async run(...args: string[]): Promise<{ code: number | null; output: string }> {
    return (await this.start(...args)).ended()
  }

  start(...args: string[]): Promise<HubCommand> {
    return HubCommand.start(args, this)
  }

  /** A digest of the rows of each table, independent of their order. */
  async digests(): Promise<Record<string, string>> {
    const client = await this.pool.connect()
    try {
      const digests: Record<string, string> = {}
      for (const { name, source } of await tablesToCopy(client)) {
        const { rows } = await client.query<{ digest: string }>(
          `select count(*) || ' ' || md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) as digest
           from (select ${name === 'event_chains' ? 'chain, number, digest' : '*'} from ${source} taken) t`
        )
        digests[name] = rows[0]!.digest
      }
      return digests
    } finally {
      client.release()
    }
  }

  async tables(): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`
    )
    return rows.map(({ name }) => name)
  }

  stop(): Promise<void> {
    return this.#stop()
  }
}
