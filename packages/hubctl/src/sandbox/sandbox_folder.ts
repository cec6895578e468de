import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'

import { readPrivate, writePrivate } from '#hubctl/settings/private_file'
import { repositoryFolder } from './repository.js'

/** A process, among all since the machine started: its id may be used again. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startedAt: string
}

/** What `sandbox up` leaves for the other commands while it runs, and for the next start if it is killed. */
export interface SandboxState extends ProcessIdentity {
  readonly url: string
  /** The context with the login of the analyst. */
  readonly context: string
  /** Whether an analysis can be run. */
  readonly isReady: boolean
  /** Its parts, of which each leads a process group. */
  readonly parts: readonly ProcessIdentity[]
}

/** Passwords of the sandbox, made at its first start. */
export interface SandboxSecrets {
  readonly admin: string
  readonly system: string
  readonly analyst: string
  readonly stewards: string
}

export interface FolderOption {
  readonly folder?: string
}

/** The folder of a sandbox with everything in it. */
export class SandboxFolder {
  readonly path: string
  readonly #option: string

  constructor({ folder }: FolderOption) {
    this.path = resolve(folder ?? join(repositoryFolder(), '.data/sandbox'))
    this.#option = folder === undefined ? '' : ` --folder ${folder}`
  }

  /** A command for this sandbox, as it is typed. */
  command(text: string): string {
    return `hubctl sandbox${this.#option} ${text}`
  }

  get hub(): string {
    return join(this.path, 'hub')
  }

  get images(): string {
    return join(this.hub, 'images')
  }

  /** The default folder of results. */
  get results(): string {
    return join(this.path, 'results')
  }

  get logs(): string {
    return join(this.path, 'logs')
  }

  node(name: string): string {
    return join(this.path, 'nodes', name)
  }

  /** What analyses have printed at a node, a file each. */
  outputs(name: string): string {
    return join(this.node(name), 'state/output')
  }

  state(): Promise<SandboxState | undefined> {
    return readPrivate<SandboxState>(this.#stateFile)
  }

  async saveState(state: SandboxState): Promise<void> {
    await writePrivate(this.#stateFile, state)
  }

  /** The secrets, which are made at the first call. */
  async secrets(): Promise<SandboxSecrets> {
    const file = join(this.path, 'secrets.json')
    const stored = await readPrivate<SandboxSecrets>(file)
    if (stored) {
      return stored
    }
    const secret = () => randomBytes(18).toString('base64url')
    const secrets = { admin: secret(), system: secret(), analyst: secret(), stewards: secret() }
    await writePrivate(file, secrets)
    return secrets
  }

  get #stateFile(): string {
    return join(this.path, 'state.json')
  }
}
