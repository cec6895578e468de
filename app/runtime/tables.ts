import type { ApplicationService } from '@adonisjs/core/types'

import type { Surface } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import { databaseOwners } from '#database/bus_connections'
import { FormerTables } from '#database/former_migrations'
import { migrate } from '#database/migrator'
import { PrimaryNotFound } from '#database/primary_resolver'
import { pools } from '#database/pools'
import { restorationIn } from '#database/restoration'
import { StartFailure } from '#kernel/start_failure'

/** Reasons by error code of the database or the network. */
const REASONS: Record<string, string> = {
  'ECONNREFUSED': 'connection refused',
  'ENOTFOUND': 'host name not found',
  'EAI_AGAIN': 'host name not found',
  'ETIMEDOUT': 'its host does not respond',
  'EHOSTUNREACH': 'its host does not respond',
  '28P01': 'it rejects the password',
  '28000': 'it rejects the user',
  '3D000': 'the database does not exist',
}

/** Codes of a missing table or column. */
const MISSING_RELATION = ['42P01', '42703']

/** Migrates the databases of these surfaces. Returns the names of the migrations that ran. */
export async function bringTablesUpToDate(
  app: ApplicationService,
  surfaces: readonly Surface[]
): Promise<string[]> {
  try {
    await requireNoRestore(surfaces)
    return await migrate(app, surfaces)
  } catch (error) {
    const problem = unusableDatabase(error)
    throw problem ? new StartFailure(problem, { cause: error }) : error
  }
}

/** Explains an error of an unusable database; undefined for other errors. */
export function unusableDatabase(error: unknown): string | undefined {
  const { code = '', message } = error as { code?: string; message: string }
  if (error instanceof FormerTables) {
    return `${message}.`
  }
  if (MISSING_RELATION.includes(code)) {
    return `The tables are not those of this version (${message}): start the platform, or run "node ace hub:migrate".`
  }
  const reason = error instanceof PrimaryNotFound ? error.reason : REASONS[code]
  return (
    reason &&
    `A database cannot be used, ${reason}: start it, or correct DATABASE_URL or the surface's own address.`
  )
}

/** Rejects a database with an unfinished restore. */
async function requireNoRestore(surfaces: readonly Surface[]): Promise<void> {
  for (const surface of databaseOwners(surfaces)) {
    const backup = await restorationIn(pools.for(databaseUrl(surface)))
    if (backup) {
      throw new StartFailure(
        `The restore of backup ${backup} is not finished: run "node ace restore" with the same location again.`
      )
    }
  }
}
