import { existsSync } from 'node:fs'

import type { Database } from '@adonisjs/lucid/database'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import type { ApplicationService } from '@adonisjs/core/types'

import { databaseUrl } from './addresses.js'
import { DatabaseClient } from './database_client.js'
import { pools } from './pools.js'
import { currentMigrations, succeedFormerMigrations } from './former_migrations.js'
import { endDeferral, deferOtherMigrations } from './deferred_migrations.js'
import { busConnection, databaseOwners, migrationTable } from './bus_connections.js'
import type { SurfaceName } from '#configuration/surfaces'

/** Must not collide with advisory locks of other programs on the same database. */
const MIGRATION_LOCK = 7_264_101

/**
 * Migrates the bus tables of each database and then the tables of the given surfaces. Concurrent processes wait for
 * each other. `upTo` limits the migrations. Returns the names of the migrations that ran.
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

/** The migrations to run in the database of a surface, by the table that records them. */
export type MigrationSelection = (surface: SurfaceName, table: string) => readonly string[]

interface MigrationTarget {
  app: ApplicationService
  db: Database
  surface: SurfaceName
  /** The table that records the migrations. */
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
  await succeedFormerMigrations(pool, table)
  if (upTo) {
    await deferOtherMigrations(pool, {
      table,
      list: () => newRunner().getList(),
      wanted: currentMigrations(table, upTo(surface, table)),
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
  const client = new DatabaseClient({
    ...pools.connectionTo(url),
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

/** A migration failed; the process must not serve requests. */
class MigrationFailure extends Error {
  readonly code = 'E_MIGRATION'

  constructor(surface: SurfaceName, cause: Error) {
    super(`The ${surface} database could not be migrated: ${cause.message}`, {
      cause,
    })
  }
}
