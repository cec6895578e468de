import { existsSync } from 'node:fs'

import type { Database } from '@adonisjs/lucid/database'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import type { ApplicationService } from '@adonisjs/core/types'
import pg from 'pg'

import { databaseUrl } from './addresses.js'
import { busConnection, databaseOwners } from './bus_connections.js'
import type { SurfaceName } from '#configuration/surfaces'

/** Any number that no other program on the same database uses for its advisory locks. */
const MIGRATION_LOCK = 7_264_101

/**
 * Brings the tables of the given surfaces up to date, and before them those of the bus, which stand in each database that one
 * of them uses. Processes that start together wait for each other. Returns the names of the migrations that ran.
 */
export async function migrate(
  app: ApplicationService,
  surfaces: readonly SurfaceName[]
): Promise<string[]> {
  const db = await app.container.make('lucid.db')
  const own = surfaces.filter((name) => existsSync(app.migrationsPath(name)))
  const sets = [
    ...databaseOwners(surfaces).map((surface) => ({ surface, connection: busConnection(surface) })),
    ...own.map((surface) => ({ surface, connection: surface })),
  ]
  const ran: string[] = []
  for (const { surface, connection } of sets) {
    const run = () => migrateOver(connection, { app, db, surface })
    ran.push(...(await locked(databaseUrl(surface), run)))
  }
  return ran
}

interface Place {
  app: ApplicationService
  db: Database
  surface: SurfaceName
}

async function migrateOver(connection: string, { app, db, surface }: Place): Promise<string[]> {
  const runner = new MigrationRunner(db, app, {
    direction: 'up',
    connectionName: connection,
    disableLocks: true,
  })
  await runner.run()
  if (runner.error) {
    throw new MigrationFailure(surface, runner.error)
  }
  return Object.keys(runner.migratedFiles)
}

async function locked<T>(url: string, work: () => Promise<T>): Promise<T> {
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
