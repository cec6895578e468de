import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import config from '#config/pool'
import { env } from '#start/env'
import type { Program } from './member.js'

interface ProgramSettings {
  /** The environment before `.env` was read: members read the file again, so that a reload applies changes. */
  environment: NodeJS.ProcessEnv
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

/** A program of this build, or of these sources. */
function sibling(path: string): string {
  return fileURLToPath(new URL(path + extname(import.meta.url), import.meta.url))
}
