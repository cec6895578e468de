import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { FolderStore } from '#oci/folder/folder_store'
import { Ace } from '#tests/helpers/ace'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'
import { startPostgres } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { startVersitygw } from '#tests/services/servers/versitygw'
import { HealthBalancer } from './health_balancer.js'
import { LOADED_HUB } from './load.js'

/** A version of the program, by the folder of its build. */
export interface Release {
  readonly name: string
  /** None is that of these sources. */
  readonly root?: string
}

type Variables = Record<string, string>

interface Servers {
  readonly database: RealServer
  readonly broker: RealServer
  readonly redis: RealServer
  readonly objects: RealServer
}

interface Parts {
  readonly servers: Servers
  readonly balancer: HealthBalancer
  readonly folder: string
}

const SECRET = randomBytes(24).toString('hex')
const APP_KEY = randomBytes(24).toString('hex')
const DRAIN_DELAY_SECONDS = 5
const REPORTED_ERROR = /^.*"level":(50|60),.*$/gm

interface Hub {
  readonly program: HubProcesses
  readonly release: Release
}

/** Two hubs behind a balancer, a worker, and the servers they need. Each hub and the worker may be of another release. */
export class Installation {
  readonly servers: Servers
  readonly balancer: HealthBalancer
  readonly imagesPath: string
  /** How processes that were replaced ended. */
  readonly exits: (number | NodeJS.Signals)[] = []
  /** Lines of level error and above of processes that were replaced. */
  readonly errors: string[] = []
  readonly #folder: string
  readonly #hubs: Hub[] = []
  #worker: HubProcesses | undefined

  static async start(release: Release): Promise<Installation> {
    const installation = new Installation(await startParts())
    try {
      await installation.#startAll(release)
      return installation
    } catch (error) {
      await installation.stop()
      throw error
    }
  }

  private constructor({ servers, balancer, folder }: Parts) {
    this.servers = servers
    this.balancer = balancer
    this.#folder = folder
    this.imagesPath = join(folder, 'images')
  }

  get origin(): string {
    return this.balancer.url
  }

  /** Brings the tables up to date with the migrations of these sources. Resolves to the output. */
  async migrate(): Promise<string> {
    const { code, output } = await Ace.run(['hub:migrate'], this.#hubVariables)
    if (code !== 0) {
      throw new Error(`hub:migrate ended with ${code}:\n${output}`)
    }
    return output.trim()
  }

  /**
   * Lets a hub end by SIGTERM, and starts one of a release in its place. The balancer learns from these sources that one
   * ends; an earlier release may close its port before, so that an operator takes it out of the balancer first and waits.
   */
  async replaceHub(index: number, release: Release): Promise<void> {
    const { program, release: former } = this.#hubs[index]!
    const target = targetOf(program)
    if (former.root) {
      this.balancer.remove(target)
      await delay(DRAIN_DELAY_SECONDS * 1_000)
    }
    await this.#end(program)
    this.balancer.remove(target)
    this.#hubs[index] = await this.#startHub(release)
  }

  async replaceWorker(release: Release): Promise<void> {
    await this.#end(this.#worker!)
    this.#worker = await this.#startWorker(release)
  }

  /** Ends every process in good order and keeps the servers, so that what was stored can be compared. */
  async retire(): Promise<void> {
    await Promise.all(this.#programs.map((program) => this.#end(program)))
  }

  /** A pool of the build in a folder, on the same servers. */
  startPool(root: string): Promise<HubProcesses> {
    const variables = {
      ...this.#hubVariables,
      POOL_WEB: '2',
      POOL_JOBS: '1',
      LOG_LEVEL: 'info',
      LOGSTORE_URL: 'http://127.0.0.1:9',
    }
    return HubProcesses.start('pool', { variables, root })
  }

  async stop(): Promise<void> {
    this.balancer.close()
    await Promise.all(this.#programs.map((program) => program.remove()))
    await Promise.all(Object.values(this.servers).map((server: RealServer) => server.stop()))
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #startAll(release: Release): Promise<void> {
    await putTinyImage(await FolderStore.open(this.imagesPath), 'master/python/base')
    // The first one makes the tables.
    this.#hubs.push(await this.#startHub(release))
    this.#hubs.push(await this.#startHub(release))
    this.#worker = await this.#startWorker(release)
  }

  async #startHub(release: Release): Promise<Hub> {
    const { root } = release
    const program = await HubProcesses.start('server', { variables: this.#hubVariables, root })
    this.balancer.add(targetOf(program))
    return { program, release }
  }

  #startWorker({ root }: Release): Promise<HubProcesses> {
    const variables = {
      ...this.#commonVariables,
      SURFACES: 'none',
      JOBS: 'worker',
      CORE_URL: `${this.origin}/core`,
      STORAGE_URL: `${this.origin}/storage`,
      IDENTITY_URL: `${this.origin}/auth`,
      CLIENT_ID: 'worker',
      CLIENT_SECRET: SECRET,
      WORKER_PATH: join(this.#folder, 'worker'),
    }
    return HubProcesses.start('server', { variables, root })
  }

  async #end(program: HubProcesses): Promise<void> {
    program.signal('SIGTERM')
    this.exits.push(await program.exit)
    this.errors.push(...(program.output.match(REPORTED_ERROR) ?? []))
    await program.remove()
  }

  get #programs(): HubProcesses[] {
    return [...this.#hubs.map(({ program }) => program), ...(this.#worker ? [this.#worker] : [])]
  }

  get #commonVariables(): Variables {
    return {
      APP_KEY,
      AMQP_URL: this.servers.broker.url,
      IMAGES_PATH: this.imagesPath,
      LOG_LEVEL: 'warn',
    }
  }

  get #hubVariables(): Variables {
    const { database, redis, objects } = this.servers
    return {
      ...this.#commonVariables,
      ...s3VariablesFor(objects.url),
      ...LOADED_HUB,
      JOBS: 'bus,outbox,sweeps',
      DRAIN_DELAY_SECONDS: String(DRAIN_DELAY_SECONDS),
      PUBLIC_URL: this.origin,
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      WORKER_CLIENT_SECRET: SECRET,
    }
  }
}

async function startParts(): Promise<Parts> {
  const [database, broker, redis, objects] = await Promise.all([
    startPostgres(),
    startRabbitmq(),
    startRedis(),
    startVersitygw(),
  ])
  const balancer = await HealthBalancer.open()
  const folder = await mkdtemp(join(tmpdir(), 'hub-upgrade-'))
  return { servers: { database, broker, redis, objects }, balancer, folder }
}

const targetOf = ({ origin, admin }: HubProcesses) => ({ origin, admin })
