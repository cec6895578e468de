import cluster from 'node:cluster'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Logger } from '@adonisjs/core/logger'

import loggerConfig from '#config/logger'
import config from '#config/pool'
import { ownersWithoutStoredSecret, type InitialSecretOwner } from '#configuration/initial_secrets'
import { surfacesOf } from '#configuration/processes'
import { drain } from '#kernel/drain'
import { collectProcessMetrics } from '#observability/metrics'
import { AdminPorts } from '#runtime/admin_ports'
import { announce } from '#runtime/announcement'
import { webAddress } from '#runtime/listen'
import { startOwnDatabase, type OwnDatabase } from '#runtime/own_database'
import type { ProgramEnvironment } from '#runtime/program_environment'
import { Member, type Program } from './member.js'
import { poolPages } from './pages.js'
import { Reloads } from './reloads.js'
import { Slot } from './slot.js'
import { requirePoolable } from './preconditions.js'
import { programs } from './programs.js'
import { SharedPort } from './shared_port.js'

/** The primary of a pool: owns the ports and the embedded database, and supervises the processes. */
export class Pool {
  readonly #variables: NodeJS.ProcessEnv
  readonly #environment: ProgramEnvironment
  readonly #logger = new Logger(loggerConfig.loggers.app)
  readonly #slots: Slot[] = []
  readonly #ownersWithoutSecret: readonly InitialSecretOwner[]
  readonly #folder = mkdtempSync(join(tmpdir(), 'hub-pool-'))
  readonly #reloads = new Reloads(() => this.#replaceAll())
  #admin: AdminPorts | undefined
  #port: SharedPort | undefined
  #database: OwnDatabase | undefined
  #migration: Program | undefined
  #isStopping = false

  private constructor(variables: NodeJS.ProcessEnv, environment: ProgramEnvironment) {
    this.#variables = variables
    this.#environment = environment
    this.#ownersWithoutSecret = ownersWithoutStoredSecret(environment.env)
  }

  /**
   * Starts everything; if a step fails, stops what was started. `variables` are those of the process before `.env` was
   * read.
   */
  static async start(variables: NodeJS.ProcessEnv, environment: ProgramEnvironment): Promise<Pool> {
    const startedAt = performance.now()
    requirePoolable(environment.env, config)
    process.once('exit', killMembers)
    const pool = new Pool(variables, environment)
    process.once('exit', () => rmSync(pool.#folder, { recursive: true, force: true }))
    try {
      await pool.#start()
    } catch (error) {
      await pool.stop()
      throw error
    }
    pool.#announce(performance.now() - startedAt)
    return pool
  }

  /** Replaces the processes one by one, each after its successor is ready. A call during a reload queues another. */
  reload(): Promise<void> {
    return this.#reloads.request()
  }

  /** The processes fail their readiness, too, for balancers that ask at the port of the requests. */
  async announceStop(): Promise<void> {
    if (this.#port) {
      this.#slots.forEach((slot) => slot.announceStop())
      await drain.announce(this.#environment.env.DRAIN_DELAY_SECONDS * 1_000)
    }
  }

  /** Drains all processes, then stops the rest in reverse order of the start. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#port?.close()
    await Promise.all(this.#slots.map((slot) => slot.stop()))
    this.#admin?.close()
    await this.#database?.stop()
  }

  async #start(): Promise<void> {
    const { env } = this.#environment
    collectProcessMetrics()
    this.#admin = await AdminPorts.healthServer(
      env,
      poolPages(this.#slots, () => this.#reloads.state)
    )
    if (config.web > 0) {
      this.#port = await SharedPort.open(webAddress(env))
    }
    this.#database = await startOwnDatabase(
      surfacesOf(config.jobs > 0 ? { ...env, SURFACES: [] } : env),
      env
    )
    await this.#startSlots()
    this.#reloads.start()
  }

  async #startSlots(): Promise<void> {
    const { migration, web, jobs } = programs({
      env: this.#environment.env,
      variables: this.#variables,
      port: this.#port?.number,
      databaseUrl: this.#database?.url,
      folder: this.#folder,
    })
    this.#migration = migration
    this.#slots.push(
      ...web.map((program) => this.#slot('web', program)),
      ...jobs.map((program) => this.#slot('jobs', program))
    )
    await this.#migrate()
    await Promise.all(this.#slots.map((slot) => slot.start()))
  }

  #slot(kind: 'web' | 'jobs', program: Program): Slot {
    const port = kind === 'web' ? this.#port : undefined
    return new Slot({
      kind,
      program,
      logger: this.#logger,
      onReady: (member) => port?.admit(member),
      onLeaving: (member) => port?.dismiss(member),
    })
  }

  /** Runs in its own process, so that a reload uses the migrations that are now on disk. */
  async #migrate(): Promise<void> {
    const migration = Member.start(this.#migration!)
    await migration.ready
    await migration.stop()
  }

  /** Resolves to whether every process was replaced. */
  async #replaceAll(): Promise<boolean> {
    const startedAt = performance.now()
    try {
      await this.#migrate()
      for (const slot of this.#slots) {
        await slot.replace()
      }
      const ms = Math.round(performance.now() - startedAt)
      this.#logger.info({ ms }, 'every process was replaced')
      return true
    } catch (error) {
      if (!this.#isStopping) {
        this.#logger.error(
          { err: error },
          'the reload failed; processes that were not replaced continue'
        )
      }
      return false
    }
  }

  #announce(milliseconds: number): void {
    const { web, jobs } = config
    announce({
      ...this.#environment,
      milliseconds,
      ports: { web: this.#port?.number, admin: this.#admin!.number },
      facts: [['processes', `${web} web, ${jobs} for jobs; their primary has pid ${process.pid}`]],
      ownersWithoutSecret: this.#ownersWithoutSecret,
    })
  }
}

function killMembers(): void {
  Object.values(cluster.workers ?? {}).forEach((worker) => worker?.process.kill('SIGKILL'))
}
