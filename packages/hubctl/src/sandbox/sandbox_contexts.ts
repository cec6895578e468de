import { existsSync } from 'node:fs'

import type { Context, Contexts, Tokens } from '#hubctl/settings/contexts'
import { NODES } from './network.js'

const NAME = 'sandbox'

/** Whose login a context of a sandbox has. */
export type Role = 'analyst' | 'admin' | string

type ContextsByName = Readonly<Record<string, Context>>

/** The contexts of one sandbox. Several sandboxes, and contexts that somebody made, do not overwrite each other. */
export class SandboxContexts {
  readonly #contexts: Contexts
  readonly #folder: string
  /** The name of the context of the analyst, with which those of the others begin. */
  readonly name: string

  /** The context that a running sandbox has published. */
  constructor(contexts: Contexts, folder: string, name: string) {
    this.#contexts = contexts
    this.#folder = folder
    this.name = name
  }

  /** Chooses names that no other context has, or those of the last start. */
  static async claim(contexts: Contexts, folder: string, url: string): Promise<SandboxContexts> {
    let name = NAME
    await contexts.update(({ current, contexts: known }) => {
      name = freeName(known, folder)
      return { current, contexts: { ...known, [name]: { ...known[name], url, sandbox: folder } } }
    })
    return new SandboxContexts(contexts, folder, name)
  }

  /** Never becomes the current one: whoever means the sandbox says so. */
  async save(role: Role, url: string, tokens: Tokens): Promise<void> {
    const name = contextName(this.name, role)
    await this.#contexts.update(({ current, contexts }) => ({
      current,
      contexts: { ...contexts, [name]: { url, tokens, sandbox: this.#folder } },
    }))
  }

  /** Removes all contexts of a sandbox. */
  static async remove(contexts: Contexts, folder: string): Promise<void> {
    await contexts.update(({ current, contexts: known }) => {
      const others = Object.entries(known).filter(([, { sandbox }]) => sandbox !== folder)
      const kept = Object.fromEntries(others)
      const isKept = current !== null && Object.hasOwn(kept, current)
      return { current: isKept ? current : null, contexts: kept }
    })
  }
}

const ROLES: readonly Role[] = ['analyst', 'admin', ...NODES.map(({ name }) => name)]

const contextName = (name: string, role: Role): string =>
  role === 'analyst' ? name : `${name}-${role}`

/** The name of the last start, else `sandbox`, `sandbox-2`, … A sandbox whose folder is gone has no name. */
function freeName(known: ContextsByName, folder: string): string {
  for (let number = 1, free: string | undefined; ; number += 1) {
    const name = number === 1 ? NAME : `${NAME}-${number}`
    const owners = ROLES.map((role) => contextName(name, role))
      .filter((context) => Object.hasOwn(known, context))
      .map((context) => known[context]!.sandbox)
    const isFree = owners.every(
      (owner) => owner === folder || (owner !== undefined && !existsSync(owner))
    )
    if (isFree && owners.includes(folder)) {
      return name
    }
    free ??= isFree ? name : undefined
    // Sandboxes number without gaps but where one is gone, so one more than there are contexts has no owner.
    if (free !== undefined && number > Object.keys(known).length) {
      return free
    }
  }
}
