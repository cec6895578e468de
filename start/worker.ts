import { join } from 'node:path'

import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { Bus } from '#bus/bus'
import { DEFAULT_SECRET } from '#configuration/initial_secrets'
import { surfacesOf, usesDatabase } from '#configuration/processes'
import { publicPrefix, SURFACE_PREFIXES, type SurfaceName } from '#configuration/surfaces'
import { workerSecret } from '#configuration/worker_secret'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { electionInFolder } from '#jobs/folder_leader_election'
import type { JobContext, RunningJob } from '#jobs/running_job'
import { Sweeper } from '#jobs/sweeper'
import { Shipper } from '#shipping/shipper'
import { signingKey } from '#oci/signing/own_keys'
import { UploadJournal } from '#oci/uploads/upload_journal'
import { health } from '#observability/health'
import { Attempts } from '#worker/attempts'
import { workerSweeps } from '#worker/housekeeping/sweeps'
import { Signing } from '#worker/images/signing'
import { guardRedirects } from '#core/registries/drivers/registry_http'
import { imageStores } from '#worker/images/stores'
import { allJobs } from '#worker/jobs'
import { imageSettings } from '#worker/master_images/settings'
import { workerCredentials } from '#worker/platform/worker_credentials'
import { Platform } from '#worker/platform/platform'
import { startWorker } from '#worker/worker'
import { WorkerDisk } from '#worker/worker_disk'
import { env } from './env.js'

/** Most supervisors kill after 30 seconds; the worker must stop well before. */
const GRACE_MS = 15_000

/** How long requests to an unavailable hub are retried before the job fails. */
const RETRY_MS = 60_000

/** Maximum number of attempts of a command that crashes its process. */
const MAX_DEATHS = 8

/** The addresses that a worker needs. */
const ADDRESSES = {
  core: 'CORE_URL',
  storage: 'STORAGE_URL',
  identity: 'IDENTITY_URL',
} as const

/** Starts the worker, which uses only the bus and HTTP, like an external worker. */
export async function start({ app, ownPort }: JobContext): Promise<RunningJob> {
  const [logger, bus] = await Promise.all([app.container.make('logger'), app.container.make(Bus)])
  const missing = unknownAddresses()
  if (missing.length > 0) {
    logger.warn(
      { unknown: missing },
      'no worker runs in this process: addresses of surfaces are missing'
    )
    return { stop: async () => {} }
  }
  const shipper = new Shipper(async () => bus)
  const shared = await sharedDependencies(logger, ownPort)
  const disk = new WorkerDisk(env.WORKER_PATH)
  const forget = health.watchOptional('worker disk', () => disk.requireSpace())
  const worker = await startWorker(allJobs(imageSettings(env)), {
    ...shared,
    bus,
    disk,
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
      forget()
      await Promise.all([worker.stop(), sweeper.stop()])
      await shipper.stop()
    },
  }
}

/** Dependencies of both jobs and sweeps. */
async function sharedDependencies(logger: Logger, ownPort: JobContext['ownPort']) {
  const journal = await UploadJournal.open(join(env.WORKER_PATH, 'uploads'))
  return {
    logger,
    platform: platform(ownPort),
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

/** The missing address variables of surfaces that this process does not serve. */
function unknownAddresses(): string[] {
  const surfaces = Object.keys(ADDRESSES) as (keyof typeof ADDRESSES)[]
  return surfaces
    .filter((surface) => env.SURFACES.length > 0 && !env.SURFACES.includes(surface))
    .map((surface) => ADDRESSES[surface])
    .filter((variable) => env[variable] === undefined)
}

/** A memory bus stores its dead letters in the database of this process. */
function deadLetters(): pg.Pool | undefined {
  const isHere = !env.AMQP_URL && usesDatabase(env) && surfacesOf(env).includes('core')
  return isHere ? pools.for(databaseUrl('core')) : undefined
}

function platform(ownPort: JobContext['ownPort']): Platform {
  const ownUrl = (surface: SurfaceName) => urlHere(surface, ownPort?.() ?? env.PORT)
  const credentials = workerCredentials({
    url: () => env.IDENTITY_URL ?? ownUrl('identity'),
    id: env.WORKER_CLIENT_ID,
    secret: () =>
      env.IDENTITY_URL ? (env.WORKER_CLIENT_SECRET ?? DEFAULT_SECRET) : workerSecret(env),
    realm: env.REALM,
  })
  return new Platform({
    credentials,
    retryForMs: RETRY_MS,
    core: { name: 'Core', url: () => env.CORE_URL ?? ownUrl('core') },
    storage: { name: 'Storage', url: () => env.STORAGE_URL ?? ownUrl('storage') },
    signal: new AbortController().signal,
  })
}

/** The local address of a surface that this process or its pool serves. */
function urlHere(surface: SurfaceName, port: number): string {
  const prefix =
    env.SURFACES.length > 0 ? publicPrefix(surface, env.SURFACES) : SURFACE_PREFIXES[surface]
  return `http://${ownHost()}:${port}${prefix}`
}

/** Replaces wildcard addresses by loopback ones. */
function ownHost(): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[env.HOST] ?? env.HOST
  return host.includes(':') ? `[${host}]` : host
}
