import { join } from 'node:path'

import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { DEFAULT_SECRET } from '#configuration/initial_secrets'
import { surfacesOf, usesDatabase } from '#configuration/processes'
import { publicPrefix, SURFACE_PREFIXES, type SurfaceName } from '#configuration/surfaces'
import { workerSecret } from '#configuration/worker_secret'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { electionInFolder } from '#jobs/folder_leader_election'
import type { JobContext, RunningJob } from '#jobs/running_job'
import { Sweeper } from '#jobs/sweeper'
import { ownAddress } from '#kernel/own_address'
import { Shipper } from '#shipping/shipper'
import { signingKey } from '#oci/signing/own_keys'
import { UploadJournal } from '#oci/uploads/upload_journal'
import { Attempts } from '#worker/attempts'
import { workerSweeps } from '#worker/housekeeping/sweeps'
import { Signing } from '#worker/images/signing'
import { guardRedirects } from '#core/registries/drivers/registry_http'
import { imageStores } from '#worker/images/stores'
import { JOBS } from '#worker/jobs'
import { WorkerToken } from '#worker/platform/worker_token'
import { Platform } from '#worker/platform/platform'
import { startWorker } from '#worker/worker'
import { env } from './env.js'

/** Supervisors of whole machines mostly kill after 30 seconds, and this has to be over well before. */
const GRACE_MS = 15_000

/** How long a platform that is away is asked again, before a job has failed. */
const RETRY_MS = 60_000

/** How often a command is begun that ends its process each time. */
const MAX_DEATHS = 8

/** Where a worker has to find what it asks. */
const ADDRESSES = {
  core: 'CORE_URL',
  storage: 'STORAGE_URL',
  identity: 'IDENTITY_URL',
} as const

/** Starts the worker, which talks to the platform as one of somebody else would: over the bus and HTTP. */
export async function start({ app }: JobContext): Promise<RunningJob> {
  const [logger, bus] = await Promise.all([app.container.make('logger'), app.container.make('bus')])
  const missing = unknownAddresses()
  if (missing.length > 0) {
    logger.warn({ unknown: missing }, 'no worker runs in this process: it is not told where to ask')
    return { stop: async () => {} }
  }
  const shipper = new Shipper(async () => bus)
  const shared = await sharedDependencies(logger)
  const worker = await startWorker(JOBS, {
    ...shared,
    bus,
    signing: new Signing(signingKey(env)),
    ship: (line) => shipper.ship(line),
    database: deadLetters(),
    limits: {
      concurrency: env.WORKER_CONCURRENCY,
      jobMs: env.WORKER_JOB_SECONDS * 1_000,
      graceMs: GRACE_MS,
      maxCrashes: MAX_DEATHS,
    },
  })
  const sweeper = new Sweeper({
    sweeps: workerSweeps({ ...shared, folder: env.IMAGES_PATH }),
    leaderElection: electionInFolder(join(env.WORKER_PATH, 'turns')),
    logger,
  })
  sweeper.start()
  return {
    async stop() {
      await Promise.all([worker.stop(), sweeper.stop()])
      await shipper.stop()
    },
  }
}

/** What jobs and clearing away have in common. */
async function sharedDependencies(logger: Logger) {
  const journal = await UploadJournal.open(join(env.WORKER_PATH, 'uploads'))
  return {
    logger,
    platform: platform(),
    journal,
    images: imageStores({
      folder: env.IMAGES_PATH,
      insecure: env.REGISTRY_INSECURE,
      guardFor: guardRedirects,
      journal,
    }),
    attempts: await Attempts.open(join(env.WORKER_PATH, 'commands')),
  }
}

/** The variables that are missing where a process serves some surfaces, and others are it does not know where. */
function unknownAddresses(): string[] {
  const surfaces = Object.keys(ADDRESSES) as (keyof typeof ADDRESSES)[]
  return surfaces
    .filter((surface) => env.SURFACES.length > 0 && !env.SURFACES.includes(surface))
    .map((surface) => ADDRESSES[surface])
    .filter((variable) => env[variable] === undefined)
}

/** A bus in the memory of this process keeps them in the database of this process. */
function deadLetters(): pg.Pool | undefined {
  const isHere = !env.AMQP_URL && usesDatabase(env) && surfacesOf(env).includes('core')
  return isHere ? pools.for(databaseUrl('core')) : undefined
}

function platform(): Platform {
  const token = new WorkerToken({
    url: () => env.IDENTITY_URL ?? ownUrl('identity'),
    id: env.WORKER_CLIENT_ID,
    secret: () =>
      env.IDENTITY_URL ? (env.WORKER_CLIENT_SECRET ?? DEFAULT_SECRET) : workerSecret(env),
    realm: env.REALM,
  })
  return new Platform({
    token,
    retryForMs: RETRY_MS,
    core: { name: 'Core', url: () => env.CORE_URL ?? ownUrl('core') },
    storage: { name: 'Storage', url: () => env.STORAGE_URL ?? ownUrl('storage') },
    signal: new AbortController().signal,
  })
}

/** Where this process, or the pool that it is a part of, serves a surface itself. */
function ownUrl(surface: SurfaceName): string {
  const prefix =
    env.SURFACES.length > 0 ? publicPrefix(surface, env.SURFACES) : SURFACE_PREFIXES[surface]
  return `http://${ownHost()}:${ownAddress.port ?? env.PORT}${prefix}`
}

/** All addresses of a machine are not one that can be called. */
function ownHost(): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[env.HOST] ?? env.HOST
  return host.includes(':') ? `[${host}]` : host
}
