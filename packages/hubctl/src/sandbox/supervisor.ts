import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { EXIT } from '#hubctl/exit_codes'
import type { Output } from '#hubctl/output/output'
import { Addresses } from '#hubctl/platform/addresses'
import { Api } from '#hubctl/platform/api'
import { fixedSession } from '#hubctl/platform/session'
import { TokenClient, type PersonLogin } from '#hubctl/platform/token_client'
import { Problem } from '#hubctl/problem'
import { Contexts, type Tokens } from '#hubctl/settings/contexts'
import { hubEnvironment, hubReady, startHub, type HubPartOptions } from './hub_part.js'
import {
  ANALYST,
  ANALYST_REALM,
  MASTER_IMAGE,
  NODES,
  stewardOf,
  type SandboxNode,
} from './network.js'
import { nodeReady, startNode } from './node_part.js'
import type { Part } from './part.js'
import { ownStartTime } from './process_identity.js'
import { repositoryFolder } from './repository.js'
import type { SandboxFolder } from './sandbox_folder.js'
import { SandboxSeed } from './seed_hub.js'

const run = promisify(execFile)

export interface SandboxOptions extends HubPartOptions {
  readonly isolation: readonly string[]
}

/** The context with the login of the analyst. */
export const CONTEXT = 'sandbox'

/** Starts all parts of a sandbox, and ends them. */
export class Supervisor {
  readonly #folder: SandboxFolder
  readonly #options: SandboxOptions
  readonly #output: Output
  readonly #parts: Part[] = []
  readonly #url: string
  readonly #addresses: Addresses

  constructor(folder: SandboxFolder, options: SandboxOptions, output: Output) {
    this.#folder = folder
    this.#options = options
    this.#output = output
    this.#url = `http://localhost:${options.port}`
    this.#addresses = new Addresses(this.#url)
  }

  /** Returns when an analysis can be run. */
  async up(): Promise<void> {
    const environment = await hubEnvironment(this.#folder, this.#options)
    const hub = await startHub(this.#folder, environment)
    this.#parts.push(hub)
    const [seed] = await Promise.all([this.#hubWithRecords(hub), this.#makeImage(environment)])
    await seed.masterImage()
    this.#show('image', `${MASTER_IMAGE}, from the Python of this machine`)
    await this.#startNodes(seed)
    const analyst = await this.#loginOfAnalyst()
    await seed.project(analyst, await this.#approvers(analyst))
    await this.#folder.saveState({
      pid: process.pid,
      startedAt: await ownStartTime(),
      url: this.#url,
    })
  }

  /** Resolves with the name of the first part that has ended by itself. */
  ended(): Promise<string> {
    return Promise.race(this.#parts.map((part) => part.ended().then(() => part.name)))
  }

  /** Ends the nodes, then the hub. */
  async down(): Promise<void> {
    const [hub, ...nodes] = this.#parts
    await Promise.all(nodes.map((node) => node.stop()))
    await hub?.stop()
  }

  async #hubWithRecords(hub: Part): Promise<SandboxSeed> {
    await hubReady(hub, this.#url, join(this.#folder.logs, 'hub.log'))
    this.#show('hub', this.#url)
    const { admin: password } = await this.#folder.secrets()
    const admin = await this.#login('sandbox-admin', { user: 'admin', password, realm: 'master' })
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

  async #startNodes(seed: SandboxSeed): Promise<void> {
    const signingKeys = await seed.signingKeys()
    const { isolation } = this.#options
    const options = { url: this.#url, signingKeys, isolation }
    const started = await Promise.all(
      NODES.map(async (node) => ({ node, part: await startNode(this.#folder, node, options) }))
    )
    this.#parts.push(...started.map(({ part }) => part))
    for (const { node, part } of started) {
      await nodeReady(part, this.#folder, node)
      const patients = node.hospital ? `hospital, ${node.hospital.patients} patients` : 'aggregator'
      this.#show(node.name, patients)
    }
  }

  async #loginOfAnalyst(): Promise<Api> {
    const { analyst: password } = await this.#folder.secrets()
    return this.#login(CONTEXT, { user: ANALYST, password, realm: ANALYST_REALM })
  }

  /** Each hospital is decided for by its own steward; the aggregator by the analyst. */
  async #approvers(analyst: Api): Promise<(node: SandboxNode) => Api> {
    const { stewards: password } = await this.#folder.secrets()
    const apis = new Map<string, Api>()
    for (const node of NODES.filter(({ hospital }) => hospital)) {
      const user = stewardOf(node)
      const login = { user, password, realm: node.realm }
      apis.set(node.name, await this.#login(`sandbox-${node.name}`, login))
    }
    return ({ name }) => apis.get(name) ?? analyst
  }

  /** Logs in, and leaves a context for the other commands. */
  async #login(context: string, login: PersonLogin): Promise<Api> {
    const tokens: Tokens = await new TokenClient(this.#addresses.of('identity')).byPassword(login)
    await new Contexts().save(context, { url: this.#url, tokens }, { choose: false })
    return new Api(this.#addresses, fixedSession(tokens.accessToken))
  }

  #show(part: string, text: string): void {
    this.#output.line(`  ${part.padEnd(8)} ${text}`)
  }
}
