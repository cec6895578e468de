import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import config from '#config/pool'
import { embeddedSurfaces, JOBS as ALL_JOBS } from '#configuration/processes'
import { fileVariable } from '#configuration/secret_files'
import type { Env } from '#configuration/variables'
import type { Program } from './member.js'

interface ProgramSettings {
  env: Env
  /** The environment before `.env` was read: members read the file again, so that a reload applies changes. */
  variables: NodeJS.ProcessEnv
  port: number | undefined
  databaseUrl: string | undefined
  /** The private folder in which web processes find each other. */
  folder: string
}

export interface Programs {
  migration: Program
  web: Program[]
  jobs: Program[]
}

/** The programs of a pool. Resources of the primary (ports, data, embedded database) are fixed in their environment. */
export function programs(settings: ProgramSettings): Programs {
  const { env, variables, port, databaseUrl, folder } = settings
  const addedNames = Object.keys(process.env).filter((name) => variables[name] === undefined)
  const shared = {
    ...Object.fromEntries(addedNames.map((name) => [name, undefined])),
    HOST: env.HOST,
    PORT: String(port ?? env.PORT),
    DATA_DIR: env.DATA_DIR,
    ...(databaseUrl && { DATABASE_URL: databaseUrl, [fileVariable('DATABASE_URL')]: undefined }),
  }
  const all = { SURFACES: embeddedSurfaces(env.IDENTITY_URL), JOBS: ALL_JOBS }
  const named = (name: keyof typeof all) =>
    namesFor(env[name], all[name], variables[name] !== undefined)
  const surfaces = { ...shared, SURFACES: named('SURFACES'), JOBS: 'none', POOL_FOLDER: folder }
  const jobs = { ...shared, SURFACES: 'none', JOBS: named('JOBS') }
  return {
    migration: {
      name: 'migration',
      file: sibling('./migration'),
      environment: config.jobs > 0 ? jobs : surfaces,
      startLimitMs: config.migrationLimitMs,
    },
    web: numbered('web', config.web, surfaces),
    jobs: numbered('jobs', config.jobs, jobs),
  }
}

function numbered(kind: string, count: number, environment: NodeJS.ProcessEnv): Program[] {
  const file = sibling('../../../bin/server')
  return Array.from({ length: count }, (_, index) => ({
    name: `${kind}-${index + 1}`,
    file,
    environment,
    startLimitMs: config.startLimitMs,
  }))
}

/**
 * Everything is left to the member to name, unless the operator does: a reload may start a version that does not know
 * all that this one has.
 */
function namesFor(
  names: readonly string[],
  all: readonly string[],
  isStated: boolean
): string | undefined {
  return !isStated && listed(names) === listed(all) ? undefined : listed(names)
}

function listed(names: readonly string[]): string {
  return names.join() || 'none'
}

/** A program of this build, or of these sources. */
function sibling(path: string): string {
  return fileURLToPath(new URL(path + extname(import.meta.url), import.meta.url))
}
