import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'

import { readPrivate, writePrivate } from '#hubctl/settings/private_file'
import { repositoryFolder } from './repository.js'

/** What `sandbox up` leaves for the other commands while it runs. */
export interface SandboxState {
  readonly pid: number
  /** The start time of the process, since its id may be used again. */
  readonly startedAt: string
  readonly url: string
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

  constructor({ folder }: FolderOption) {
    this.path = resolve(folder ?? join(repositoryFolder(), '.data/sandbox'))
  }

  get hub(): string {
    return join(this.path, 'hub')
  }

  get images(): string {
    return join(this.hub, 'images')
  }

  get logs(): string {
    return join(this.path, 'logs')
  }

  node(name: string): string {
    return join(this.path, 'nodes', name)
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
