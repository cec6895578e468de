import { randomBytes } from 'node:crypto'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Addresses } from '#hubctl/platform/addresses'
import { Api } from '#hubctl/platform/api'
import { fixedToken } from '#client/credentials'
import { TokenClient, type PersonLogin } from '#hubctl/platform/token_client'
import { ANALYST, ANALYST_REALM, NODES, stewardOf } from '#hubctl/sandbox/network'
import { writeNodeFiles } from '#hubctl/sandbox/node_part'
import { SandboxFolder } from '#hubctl/sandbox/sandbox_folder'
import { SandboxSeed } from '#hubctl/sandbox/seed_hub'
import { ace } from '#tests/helpers/ace_process'
import { builtProgram } from '#tests/helpers/built_program'
import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { freePort } from '#tests/services/servers/free_port'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const NODE_PROGRAM = fileURLToPath(new URL('../../../build/bin/hub_node.js', import.meta.url))
const READY = / is ready$/m
const READY_MS = 120_000

/** What can be killed: a node by its name, the hub, its worker. */
export type Part = string

/** A sandbox whose hub, worker and nodes are processes of their own, which are killed and started again. */
export class SoakedSandbox {
  readonly folder: string
  readonly #sandbox: SandboxFolder
  readonly #isolation: string
  readonly #port: number
  readonly #broker: Awaited<ReturnType<typeof startRabbitmq>>
  readonly #shared = {
    APP_KEY: randomBytes(24).toString('hex'),
    WORKER_CLIENT_SECRET: randomBytes(24).toString('hex'),
  }
  readonly #hubs = new Map<Part, HubProcesses>()
  readonly #nodes = new Map<Part, ChildProcess>()

  static async start(isolation: string): Promise<SoakedSandbox> {
    await builtProgram()
    const folder = await mkdtemp(join(tmpdir(), 'hub-soak-'))
    const [broker, port] = await Promise.all([startRabbitmq(), freePort()])
    const network = new SoakedSandbox(folder, isolation, port, broker)
    try {
      await network.#start()
      return network
    } catch (error) {
      await network.remove()
      throw error
    }
  }

  private constructor(
    folder: string,
    isolation: string,
    port: number,
    broker: Awaited<ReturnType<typeof startRabbitmq>>
  ) {
    this.folder = folder
    this.#sandbox = new SandboxFolder({ folder: join(folder, 'sandbox') })
    this.#isolation = isolation
    this.#port = port
    this.#broker = broker
  }

  /** The folder in which nodes keep their sockets. */
  get socketFolder(): string {
    return join(this.folder, 't')
  }

  /** Each running node has one. */
  socketFolders(): Promise<string[]> {
    return readdir(this.socketFolder)
  }

  nodeFolder(name: string): string {
    return join(this.#sandbox.node(name), 'state')
  }

  /** A fresh login of the analyst. */
  async analyst(): Promise<Api> {
    const { analyst: password } = await this.#sandbox.secrets()
    return this.#login({ user: ANALYST, password, realm: ANALYST_REALM })
  }

  async start(part: Part): Promise<void> {
    if (part === 'hub') {
      this.#hubs.set(part, await HubProcesses.start('server', { variables: await this.#hub() }))
    } else if (part === 'worker') {
      this.#hubs.set(part, await HubProcesses.launch('server', { variables: this.#worker() }))
    } else {
      await this.#startNode(part)
    }
  }

  /** Returns when the process is gone. */
  async kill(part: Part): Promise<void> {
    await this.#end(part, 'SIGKILL')
  }

  /** Ends everything in order. */
  async stop(): Promise<void> {
    await Promise.all([...this.#nodes.keys()].map((name) => this.#end(name, 'SIGTERM')))
    await this.#end('worker', 'SIGTERM')
    await this.#end('hub', 'SIGTERM')
    await this.#broker.stop()
  }

  async remove(): Promise<void> {
    await this.stop()
    await rm(this.folder, { recursive: true, force: true })
  }

  async #start(): Promise<void> {
    await mkdir(this.socketFolder)
    await this.start('hub')
    await this.start('worker')
    const { admin: password } = await this.#sandbox.secrets()
    const admin = await this.#login({ user: 'admin', password, realm: 'master' })
    const seed = new SandboxSeed(admin, this.#sandbox)
    await Promise.all([seed.network(), this.#makeImage()])
    await seed.masterImage()
    const signingKeys = await seed.signingKeys()
    for (const node of NODES) {
      await writeNodeFiles(this.#sandbox, node, this.#url, signingKeys)
    }
    await Promise.all(NODES.map(({ name }) => this.start(name)))
    const analyst = await this.analyst()
    const { stewards } = await this.#sandbox.secrets()
    const apis = new Map<string, Api>()
    for (const node of NODES.filter(({ hospital }) => hospital)) {
      const login = { user: stewardOf(node), password: stewards, realm: node.realm }
      apis.set(node.name, await this.#login(login))
    }
    await seed.project(analyst, ({ name }) => apis.get(name) ?? analyst)
  }

  async #makeImage(): Promise<void> {
    const made = await ace(['image:python'], {
      DATA_DIR: this.#sandbox.hub,
      IMAGES_PATH: this.#sandbox.images,
    })
    if (made.exit !== 0) {
      throw new Error(`The image of Python could not be made: ${made.stdout}${made.stderr}`)
    }
  }

  async #startNode(name: string): Promise<void> {
    const file = join(this.folder, `${name}.log`)
    const log = openSync(file, 'w')
    const settings = join(this.#sandbox.node(name), 'node.yaml')
    const command = [NODE_PROGRAM, 'run', settings, '--isolation', this.#isolation]
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, ...command], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: this.socketFolder },
      cwd: this.#sandbox.node(name),
      stdio: ['ignore', log, log],
    })
    this.#nodes.set(name, child)
    await eventually(async () => {
      const text = await readFile(file, 'utf8')
      if (child.exitCode !== null) {
        throw new Error(`The node ${name} did not start: ${text}`)
      }
      return READY.test(text)
    }, READY_MS)
  }

  async #end(part: Part, signal: NodeJS.Signals): Promise<void> {
    const hub = this.#hubs.get(part)
    if (hub) {
      hub.signal(signal)
      await hub.exit
      await hub.remove()
      this.#hubs.delete(part)
    }
    const node = this.#nodes.get(part)
    if (node) {
      const exited = once(node, 'exit')
      node.kill(signal)
      await exited
      this.#nodes.delete(part)
    }
  }

  get #url(): string {
    return `http://localhost:${this.#port}`
  }

  async #hub(): Promise<Record<string, string>> {
    const { admin, system } = await this.#sandbox.secrets()
    return {
      ...this.#shared,
      HOST: '127.0.0.1',
      PORT: String(this.#port),
      PUBLIC_URL: this.#url,
      DATA_DIR: this.#sandbox.hub,
      IMAGE_SOURCE: 'archive',
      IDENTITY_ADMIN_PASSWORD: admin,
      CLIENT_SECRET: system,
      JOBS: 'bus,outbox,sweeps',
      AMQP_URL: this.#broker.url,
      LOG_LEVEL: 'error',
    }
  }

  #worker(): Record<string, string> {
    const { APP_KEY, WORKER_CLIENT_SECRET } = this.#shared
    return {
      APP_KEY,
      SURFACES: 'none',
      JOBS: 'worker',
      AMQP_URL: this.#broker.url,
      CORE_URL: `${this.#url}/core`,
      STORAGE_URL: `${this.#url}/storage`,
      IDENTITY_URL: `${this.#url}/auth`,
      CLIENT_ID: 'worker',
      CLIENT_SECRET: WORKER_CLIENT_SECRET,
      IMAGE_SOURCE: 'archive',
      IMAGES_PATH: this.#sandbox.images,
      WORKER_PATH: join(this.folder, 'worker'),
      LOG_LEVEL: 'error',
    }
  }

  async #login(login: PersonLogin): Promise<Api> {
    const addresses = new Addresses(this.#url)
    const { accessToken } = await new TokenClient(addresses.of('identity')).byPassword(login)
    return new Api(addresses, fixedToken(accessToken))
  }
}
