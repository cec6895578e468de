import type { ApplicationService } from '@adonisjs/core/types'

import { surfacesOf } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import { databaseOwners } from '#database/bus_connections'
import { migrate } from '#database/migrator'
import { pools } from '#database/pools'
import { restorationIn } from '#database/restoration'
import { StartFailure } from '#kernel/start_failure'
import { env } from '#start/env'

/** What a database or the way to it answers, with the variable's share in it. */
const REASONS: Record<string, string> = {
  'ECONNREFUSED': 'nothing answers at its address',
  'ENOTFOUND': 'its host name is not known',
  'EAI_AGAIN': 'its host name is not known',
  'ETIMEDOUT': 'its host does not answer',
  'EHOSTUNREACH': 'its host does not answer',
  '28P01': 'it refuses the password',
  '28000': 'it refuses the user',
  '3D000': 'the server has no database of that name',
}

/** A table or a column. */
const MISSING_RELATION = ['42P01', '42703']

/**
 * Brings the tables of all surfaces this process works for up to date. Returns the names of the migrations that ran.
 */
export async function bringTablesUpToDate(app: ApplicationService): Promise<string[]> {
  try {
    await requireNoRestore()
    return await migrate(app, surfacesOf(env))
  } catch (error) {
    const problem = unusableDatabase(error)
    throw problem ? new StartFailure(problem, { cause: error }) : error
  }
}

/** Why a database cannot be used and what to do, where that is what an error says. */
export function unusableDatabase(error: unknown): string | undefined {
  const { code = '', message } = error as { code?: string; message: string }
  if (MISSING_RELATION.includes(code)) {
    return `The tables are not those of this version (${message}): start the platform, or run "node ace hub:migrate".`
  }
  const reason = REASONS[code]
  return (
    reason &&
    `A database cannot be used, ${reason}: start it, or correct DATABASE_URL or the surface's own address.`
  )
}

/** A database into which a backup is being restored is half of one. */
async function requireNoRestore(): Promise<void> {
  for (const surface of databaseOwners(surfacesOf(env))) {
    const backup = await restorationIn(pools.for(databaseUrl(surface)))
    if (backup) {
      throw new StartFailure(
        `The restoration of backup ${backup} was not finished: run "node ace restore" with its place once more.`
      )
    }
  }
}
