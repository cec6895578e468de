import type { Server } from 'node:http'
import cluster from 'node:cluster'

import { Ignitor } from '@adonisjs/core'
import type { ApplicationService } from '@adonisjs/core/types'

import { migrate } from '#database/migrator'
import { createListener } from '#http/listener'
import { startJobs, type RunningJob } from '#jobs/runner'
import { collectProcessMetrics } from '#observability/metrics'
import { startTracing, stopTracing } from '#observability/tracing'
import { createAdminServer } from '#runtime/admin_server'
import { closeGently } from '#runtime/close_gently'
import { drain } from '#runtime/drain'
import { listen, requireFree } from '#runtime/listening'
import { OwnDatabase } from '#runtime/own_database'
import { announce } from '#runtime/announcement'
import { SURFACE_NAMES, SURFACE_PREFIXES } from '#runtime/surfaces'
import { env } from '#start/env'

const WEB = { host: env.HOST, port: env.PORT, variable: 'PORT' } as const
const ADMIN = { host: env.HOST, port: env.ADMIN_PORT, variable: 'ADMIN_PORT' } as const

/**
 * One process of the platform: the surfaces and jobs it was told to run, with everything they need started before and
 * stopped after them.
 */
export class HubProcess {
  readonly #database: OwnDatabase | undefined
  readonly #app: ApplicationService
  #web: Server | undefined
  #admin: Server | undefined
  #jobs: RunningJob | undefined

  private constructor(app: ApplicationService, database: OwnDatabase | undefined) {
    this.#app = app
    this.#database = database
  }

  /** Starts everything; what was started is stopped again when a later step fails. */
  static async start(appRoot: URL): Promise<HubProcess> {
    const startedAt = performance.now()
    await requirePorts()
    const database = await OwnDatabase.startIfNeeded()
    const hub = new HubProcess(createApplication(appRoot), database)
    try {
      await hub.#boot()
    } catch (error) {
      await hub.stop()
      throw error
    }
    announce({ migrated: hub.#migrated, milliseconds: performance.now() - startedAt })
    return hub
  }

  #migrated: string[] = []

  async #boot(): Promise<void> {
    await startTracing()
    collectProcessMetrics()
    await this.#app.init()
    await this.#app.boot()
    if (cluster.isPrimary) {
      this.#migrated = await migrate(
        this.#app,
        env.SURFACES.length > 0 ? env.SURFACES : SURFACE_NAMES
      )
    }
    await this.#app.start(() => {})
    await this.#openPorts()
    this.#jobs = await startJobs(env.JOBS, { app: this.#app, drain })
  }

  async #openPorts(): Promise<void> {
    if (env.SURFACES.length > 0) {
      this.#web = await createWebServer(this.#app)
      await listen(this.#web, WEB)
    }
    if (cluster.isPrimary) {
      this.#admin = createAdminServer()
      await listen(this.#admin, ADMIN)
    }
  }

  /** Lets what is under way finish, then stops everything in the opposite order of the start. */
  async stop(): Promise<void> {
    drain.begin()
    await Promise.all([this.#web && closeGently(this.#web), this.#jobs?.stop()])
    this.#admin?.close()
    await this.#app.terminate()
    await stopTracing()
    await this.#database?.stop()
  }
}

async function requirePorts(): Promise<void> {
  if (cluster.isPrimary) {
    await Promise.all([env.SURFACES.length > 0 && requireFree(WEB), requireFree(ADMIN)])
  }
}

function createApplication(appRoot: URL): ApplicationService {
  return new Ignitor(appRoot, { importer: (path) => import(resolved(path, appRoot)) }).createApp(
    'web'
  )
}

function resolved(path: string, appRoot: URL): string {
  return path.startsWith('./') ? new URL(path, appRoot).href : path
}

async function createWebServer(app: ApplicationService): Promise<Server> {
  const server = await app.container.make('server')
  await server.boot()
  const [alone, ...others] = env.SURFACES
  const prefix = alone && others.length === 0 ? SURFACE_PREFIXES[alone] : ''
  const web = createListener(server.handle.bind(server), { prefix, drain })
  server.setNodeServer(web)
  return web
}
