import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { EXIT } from '#hubctl/exit_codes'
import type { Output } from '#hubctl/output/output'
import { Addresses } from '#hubctl/platform/addresses'
import { Api } from '#hubctl/platform/api'
import { fixedToken } from '#client/credentials'
import { TokenClient, type PersonLogin } from '#hubctl/platform/token_client'
import { Problem } from '#hubctl/problem'
import { Contexts, type Tokens } from '#hubctl/settings/contexts'
import {
  hubEnvironment,
  hubReady,
  requireOwnHub,
  startHub,
  type HubAddress,
  type HubPartOptions,
} from './hub_part.js'
import { KeptNode } from './kept_node.js'
import {
  ANALYST,
  ANALYST_REALM,
  MASTER_IMAGE,
  NODES,
  stewardOf,
  type SandboxNode,
} from './network.js'
import {
  logLength,
  nodeReady,
  startNode,
  writeNodeFiles,
  type NodePartOptions,
} from './node_part.js'
import type { Part } from './part.js'
import { identityOf } from './process_identity.js'
import { repositoryFolder } from './repository.js'
import { endLeftovers } from './running_sandbox.js'
import { SandboxContexts, type Role } from './sandbox_contexts.js'
import type { SandboxFolder } from './sandbox_folder.js'
import { SandboxSeed } from './seed_hub.js'
import { TemporaryFolder } from './temporary_folder.js'

const run = promisify(execFile)

export interface SandboxOptions extends HubPartOptions {
  readonly isolation: readonly string[]
}

const HUB = 'hub'

/** Starts all parts of a sandbox, keeps its nodes running, and ends everything. */
export class Supervisor {
  readonly #folder: SandboxFolder
  readonly #options: SandboxOptions
  readonly #output: Output
  readonly #temporary: TemporaryFolder
  /** The running process of each part, by its name. */
  readonly #parts = new Map<string, Part>()
  readonly #nodes: KeptNode[] = []
  readonly #hub: HubAddress
  readonly #addresses: Addresses
  #isReady = false
  #contexts: SandboxContexts | undefined

  constructor(folder: SandboxFolder, options: SandboxOptions, output: Output) {
    const { port } = options
    this.#folder = folder
    this.#options = options
    this.#output = output
    this.#temporary = new TemporaryFolder(folder.path)
    this.#hub = { url: `http://localhost:${port}`, port, log: join(folder.logs, 'hub.log') }
    this.#addresses = new Addresses(this.#hub.url)
  }

  /** Returns when an analysis can be run. */
  async up(): Promise<void> {
    if (await endLeftovers(this.#folder)) {
      this.#output.note('Parts of a sandbox that was killed were still running; they have ended.')
    }
    const temporary = await this.#temporary.create()
    const environment = await hubEnvironment(this.#folder, this.#options, temporary)
    const hub = await startHub(this.#folder, environment)
    this.#output.note('Starts the hub.')
    this.#contexts = await SandboxContexts.claim(new Contexts(), this.#folder.path, this.#hub.url)
    await this.#hasStarted(hub)
    const [seed] = await Promise.all([this.#hubWithRecords(hub), this.#makeImage(environment)])
    await seed.masterImage()
    this.#show('image', `${MASTER_IMAGE}, from the Python of this machine`)
    await this.#startNodes(seed, temporary)
    const analyst = await this.#loginOfAnalyst()
    await seed.project(analyst, await this.#approvers(analyst))
    this.#isReady = true
    await this.#saveState()
    if (this.#contexts.name !== 'sandbox') {
      this.#output.note(`Its contexts begin with "${this.#contexts.name}".`)
    }
  }

  /** Resolves when the hub has ended by itself; nothing works without it. */
  async ended(): Promise<string> {
    const hub = this.#parts.get(HUB)!
    await hub.ended()
    return hub.name
  }

  /** Ends the nodes, then the hub. */
  async down(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.stop()))
    await this.#parts.get(HUB)?.stop()
    await this.#temporary.remove()
  }

  async #hasStarted(part: Part): Promise<void> {
    this.#parts.set(part.name, part)
    await this.#saveState()
  }

  async #saveState(): Promise<void> {
    const running = [...this.#parts.values()].filter(({ isRunning }) => isRunning)
    await this.#folder.saveState({
      ...(await identityOf(process.pid)),
      url: this.#hub.url,
      context: this.#contexts!.name,
      isReady: this.#isReady,
      parts: await Promise.all(running.map(({ pid }) => identityOf(pid))),
    })
  }

  async #hubWithRecords(hub: Part): Promise<SandboxSeed> {
    await hubReady(hub, this.#hub)
    this.#show(HUB, this.#hub.url)
    const { admin: password } = await this.#folder.secrets()
    const admin = await this.#login('admin', { user: 'admin', password, realm: 'master' })
    const seed = new SandboxSeed(admin, this.#folder)
    await seed.network()
    return seed
  }

  /** The Python of the machine, unless the folder of images has it from an earlier start. */
  async #makeImage(environment: NodeJS.ProcessEnv): Promise<void> {
    const index = join(this.#folder.images, 'index.json')
    const images = await readFile(index, 'utf8').catch(() => '')
    if (images.includes(`"master/${MASTER_IMAGE}:latest"`)) {
      return
    }
    this.#output.note('Makes an image from the Python of this machine.')
    const root = repositoryFolder()
    try {
      await run(process.execPath, ['ace.js', 'image:python'], { cwd: root, env: environment })
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string }
      throw new Problem(EXIT.failed, 'The image of Python could not be made.', [
        `${stdout ?? ''}${stderr ?? ''}`.trim(),
      ])
    }
  }

  async #startNodes(seed: SandboxSeed, temporary: string): Promise<void> {
    this.#output.note('Starts the nodes.')
    const signingKeys = await seed.signingKeys()
    const { isolation } = this.#options
    const environment = { ...process.env, TMPDIR: temporary }
    const options = { url: this.#hub.url, signingKeys, isolation, environment }
    const started = await Promise.all(NODES.map((node) => this.#startNode(node, options)))
    for (const { node, part, kept } of started) {
      await nodeReady(part, this.#folder, node)
      kept.keep()
      const patients = node.hospital ? `hospital, ${node.hospital.patients} patients` : 'aggregator'
      this.#show(node.name, patients)
    }
  }

  async #startNode(node: SandboxNode, options: NodePartOptions) {
    await writeNodeFiles(this.#folder, node, options.url, options.signingKeys)
    const part = await startNode(this.#folder, node, options)
    const kept = new KeptNode(part, {
      restart: async (onStart) => {
        const from = await logLength(this.#folder, node)
        const next = await startNode(this.#folder, node, options, { goesOn: true })
        onStart(next)
        await this.#hasStarted(next)
        await nodeReady(next, this.#folder, node, from)
      },
      tell: (text) => this.#output.note(text),
    })
    this.#nodes.push(kept)
    await this.#hasStarted(part)
    return { node, part, kept }
  }

  async #loginOfAnalyst(): Promise<Api> {
    const { analyst: password } = await this.#folder.secrets()
    return this.#login('analyst', { user: ANALYST, password, realm: ANALYST_REALM })
  }

  /** Each hospital is decided for by its own steward; the aggregator by the analyst. */
  async #approvers(analyst: Api): Promise<(node: SandboxNode) => Api> {
    const { stewards: password } = await this.#folder.secrets()
    const apis = new Map<string, Api>()
    for (const node of NODES.filter(({ hospital }) => hospital)) {
      const user = stewardOf(node)
      const login = { user, password, realm: node.realm }
      apis.set(node.name, await this.#login(node.name, login))
    }
    return ({ name }) => apis.get(name) ?? analyst
  }

  /** Logs in at its own hub, and leaves a context for the other commands. */
  async #login(role: Role, login: PersonLogin): Promise<Api> {
    await requireOwnHub(this.#parts.get(HUB)!, this.#hub)
    const tokens: Tokens = await new TokenClient(this.#addresses.of('identity')).byPassword(login)
    await this.#contexts!.save(role, this.#hub.url, tokens)
    return new Api(this.#addresses, fixedToken(tokens.accessToken))
  }

  #show(part: string, text: string): void {
    this.#output.line(`  ${part.padEnd(8)} ${text}`)
  }
}
