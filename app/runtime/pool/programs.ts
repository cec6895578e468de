import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import config from '#config/pool'
import { env } from '#start/env'
import type { Program } from './member.js'

interface ProgramSettings {
  /** The environment as it was before `.env` was read: members read the file anew, so that a reload takes it over. */
  environment: NodeJS.ProcessEnv
  port: number | undefined
  databaseUrl: string | undefined
  /** Where the processes that serve find each other; no other account may look into it. */
  folder: string
}

export interface Programs {
  migration: Program
  web: Program[]
  jobs: Program[]
}

/**
 * The programs a pool runs. What the primary itself holds (ports, data, the embedded database) is fixed in their
 * environment until the pool is started again.
 */
export function programs({ environment, port, databaseUrl, folder }: ProgramSettings): Programs {
  const addedNames = Object.keys(process.env).filter((name) => environment[name] === undefined)
  const shared = {
    ...Object.fromEntries(addedNames.map((name) => [name, undefined])),
    HOST: env.HOST,
    PORT: String(port ?? env.PORT),
    DATA_DIR: env.DATA_DIR,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
  const surfaces = { ...shared, SURFACES: listed(env.SURFACES), JOBS: 'none', POOL_FOLDER: folder }
  const jobs = { ...shared, SURFACES: 'none', JOBS: listed(env.JOBS) }
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

function listed(names: readonly string[]): string {
  return names.join() || 'none'
}

/** A program of this build, or of these sources where they are run as they are. */
function sibling(path: string): string {
  return fileURLToPath(new URL(path + extname(import.meta.url), import.meta.url))
}
