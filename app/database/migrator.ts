import { existsSync } from 'node:fs'

import type { Database } from '@adonisjs/lucid/database'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import type { ApplicationService } from '@adonisjs/core/types'
import pg from 'pg'

import { databaseUrl } from './addresses.js'
import { pools } from './pools.js'
import { endDeferral, deferOtherMigrations } from './deferred_migrations.js'
import { busConnection, databaseOwners, migrationTable } from './bus_connections.js'
import type { SurfaceName } from '#configuration/surfaces'

/** Any number that no other program on the same database uses for its advisory locks. */
const MIGRATION_LOCK = 7_264_101

/**
 * Brings the tables of the given surfaces up to date, and before them those of the bus, which stand in each database that one
 * of them uses. Processes that start together wait for each other. With `upTo`, only some migrations are made. Returns the names of the migrations that ran.
 */
export async function migrate(
  app: ApplicationService,
  surfaces: readonly SurfaceName[],
  upTo?: MigrationSelection
): Promise<string[]> {
  const db = await app.container.make('lucid.db')
  const own = surfaces.filter((name) => existsSync(app.migrationsPath(name)))
  const sets = [
    ...databaseOwners(surfaces).map((surface) => ({
      surface,
      connection: busConnection(surface),
      table: migrationTable('bus'),
    })),
    ...own.map((surface) => ({ surface, connection: surface, table: migrationTable(surface) })),
  ]
  const ran: string[] = []
  for (const { surface, connection, table } of sets) {
    const run = () => migrateOver(connection, { app, db, surface, table, upTo })
    ran.push(...(await withMigrationLock(databaseUrl(surface), run)))
  }
  return ran
}

/** The migrations that may be made in the database of a surface, where others are to wait: by the table that notes them. */
export type MigrationSelection = (surface: SurfaceName, table: string) => readonly string[]

interface MigrationTarget {
  app: ApplicationService
  db: Database
  surface: SurfaceName
  /** Where the migrations that were made are noted. */
  table: string
  upTo: MigrationSelection | undefined
}

async function migrateOver(
  connection: string,
  { app, db, surface, table, upTo }: MigrationTarget
): Promise<string[]> {
  const newRunner = () =>
    new MigrationRunner(db, app, {
      direction: 'up',
      connectionName: connection,
      disableLocks: true,
    })
  const runner = newRunner()
  const pool = pools.for(databaseUrl(surface))
  if (upTo) {
    await deferOtherMigrations(pool, {
      table,
      list: () => newRunner().getList(),
      wanted: upTo(surface, table),
    })
  }
  await runner.run()
  if (upTo) {
    await endDeferral(pool, table)
  }
  if (runner.error) {
    throw new MigrationFailure(surface, runner.error)
  }
  return Object.keys(runner.migratedFiles)
}

async function withMigrationLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'analysis-hub migrations',
  })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    return await work()
  } finally {
    await client.end()
  }
}

/**
 * A migration that did not go through; the process must not serve on half a schema.
 */
export class MigrationFailure extends Error {
  readonly code = 'E_MIGRATION'

  constructor(surface: SurfaceName, cause: Error) {
    super(
      `The tables of the ${surface} surface could not be brought up to date: ${cause.message}`,
      {
        cause,
      }
    )
  }
}
