import { setTimeout as delay } from 'node:timers/promises'

import type { ApplicationService } from '@adonisjs/core/types'

import { corsOfSockets } from '#config/cors'
import http from '#config/http'
import tracing from '#config/tracing'
import { ownersWithoutStoredSecret } from '#configuration/initial_secrets'
import { surfacesOf, usesDatabase } from '#configuration/processes'
import type { GracefulServer } from '#http/graceful_server'
import { createListener } from '#http/listener'
import { createRequestListener } from '#http/request_listener'
import type { RunningJob } from '#jobs/running_job'
import { health } from '#observability/health'
import { collectProcessMetrics, metrics } from '#observability/metrics'
import { startTracing, stopTracing } from '#tracing/tracing'
import { AdminPorts } from './admin_ports.js'
import { startJobs } from './job_starters.js'
import { announce } from './announcement.js'
import { Realtime } from '#realtime/realtime'
import { createApplication } from './application.js'
import { drain } from '#kernel/drain'
import { listen, portOf, requireFree, webAddress } from './listen.js'
import { startOwnDatabase, type OwnDatabase } from './own_database.js'
import type { ProgramEnvironment } from './program_environment.js'
import { membership } from '#runtime/pool/membership'
import { SURFACE_PREFIXES, type Served } from '#configuration/surfaces'
import { bringTablesUpToDate } from './tables.js'

const HEALTHY_LIMIT_MS = 5_000

/** Most supervisors kill after 30 seconds; the process reports and exits before that. */
const STOP_LIMIT_MS = 28_000

/**
 * One process with its surfaces and jobs. In a pool, the primary owns the ports, migrations and embedded database;
 * a single process owns them itself.
 */
export class HubProcess {
  readonly #app = createApplication()
  readonly #environment: ProgramEnvironment
  #database: OwnDatabase | undefined
  #web: GracefulServer | undefined
  #admin: AdminPorts | undefined
  #jobs: RunningJob | undefined

  private constructor(environment: ProgramEnvironment) {
    this.#environment = environment
  }

  /** Starts everything; if a step fails, stops what was started. */
  static async start(environment: ProgramEnvironment): Promise<HubProcess> {
    const hub = new HubProcess(environment)
    try {
      await (membership() ? hub.#startAsMember() : hub.#startAlone())
    } catch (error) {
      await hub.stop()
      throw error
    }
    return hub
  }

  /** In a pool, the primary has given the port to others before. */
  async announceStop(): Promise<void> {
    if (this.#web && !membership()) {
      await drain.announce(this.#environment.env.DRAIN_DELAY_SECONDS * 1_000)
    }
  }

  /** Drains, then stops everything in reverse order of the start. */
  async stop(): Promise<void> {
    setTimeout(exitAfterTimeout, STOP_LIMIT_MS).unref()
    drain.start()
    await Promise.all([this.#web?.closeGracefully(), this.#jobs?.stop()])
    this.#admin?.close()
    await this.#app.terminate()
    await stopTracing()
    await this.#database?.stop()
  }

  async #startAsMember(): Promise<void> {
    await this.#boot()
    await this.#work()
    membership()!.start(
      {
        failing: () => health.failing(),
        degraded: () => health.degraded(),
        metrics: () => metrics.getMetricsAsJSON(),
      },
      this.#web
    )
  }

  async #startAlone(): Promise<void> {
    const { env } = this.#environment
    const startedAt = performance.now()
    const ownersWithoutSecret = ownersWithoutStoredSecret(env)
    await Promise.all([
      env.SURFACES.length > 0 && requireFree(webAddress(env)),
      AdminPorts.requireFree(env),
    ])
    const needsDatabase = usesDatabase(env)
    this.#database = needsDatabase ? await startOwnDatabase(surfacesOf(env), env) : undefined
    await this.#boot()
    const migrated = needsDatabase ? await bringTablesUpToDate(this.#app, surfacesOf(env)) : []
    await this.#work()
    await this.#openPorts()
    announce({
      ...this.#environment,
      milliseconds: performance.now() - startedAt,
      ports: { web: this.#web && portOf(this.#web), admin: this.#admin!.number },
      facts: migrated.length > 0 ? [['tables', `${migrated.length} migrations ran`]] : [],
      ownersWithoutSecret,
    })
  }

  async #boot(): Promise<void> {
    await startTracing(tracing)
    collectProcessMetrics()
    await this.#app.init()
    await this.#app.boot()
  }

  async #work(): Promise<void> {
    const { env } = this.#environment
    await this.#app.start(() => {})
    if (env.SURFACES.length > 0) {
      this.#web = await createWebServer(this.#app, env.SURFACES)
    }
    this.#jobs = await startJobs(env.JOBS, {
      app: this.#app,
      drain,
      ownPort: () => (this.#web?.listening ? portOf(this.#web) : undefined),
    })
    await untilHealthy()
  }

  async #openPorts(): Promise<void> {
    const { env } = this.#environment
    this.#admin = await AdminPorts.healthServer(env)
    if (this.#web) {
      await listen(this.#web, webAddress(env))
    }
  }
}

async function createWebServer(
  app: ApplicationService,
  surfaces: readonly Served[]
): Promise<GracefulServer> {
  const server = await app.container.make('server')
  const handle = await createRequestListener(app)
  const [alone, ...others] = surfaces
  const prefix = alone && others.length === 0 ? SURFACE_PREFIXES[alone] : ''
  // In a pool, the primary counts the connections of all processes.
  const limits = membership() ? undefined : http.connectionLimits
  const web = createListener(handle, { prefix, drain, limits })
  server.setNodeServer(web)
  const realtime = await app.container.make(Realtime)
  await realtime.serve(app, web, { cors: corsOfSockets, peerFolder: membership()?.folder })
  return web
}

/** Waits a limited time for connections that open in the background, then starts without them. */
async function untilHealthy(): Promise<void> {
  const deadline = performance.now() + HEALTHY_LIMIT_MS
  let failing = await health.failing()
  while (failing.length > 0 && performance.now() < deadline) {
    await delay(50)
    failing = await health.failing()
  }
}

function exitAfterTimeout(): never {
  console.error(`The shutdown did not finish within ${STOP_LIMIT_MS / 1000} s and was aborted.`)
  process.exit(1)
}
