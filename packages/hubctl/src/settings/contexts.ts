import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import lockfile from 'proper-lockfile'

import { UsageProblem } from '#hubctl/problem'
import { folders } from './folders.js'
import { readPrivate, writePrivate } from './private_file.js'

export interface Tokens {
  readonly accessToken: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null
  readonly refreshToken?: string
  /** A client has no refresh token and logs in with its secret again. */
  readonly client?: { readonly id: string; readonly secret: string; readonly realm?: string }
}

/** A platform with the addresses of its services and the login. */
export interface Context {
  readonly url: string
  /** Services with an address of their own. */
  readonly services?: Readonly<Partial<Record<string, string>>>
  readonly tokens?: Tokens
  /** The folder of the sandbox that made it. */
  readonly sandbox?: string
}

interface ContextFile {
  readonly current: string | null
  readonly contexts: Readonly<Record<string, Context>>
}

const EMPTY: ContextFile = { current: null, contexts: {} }
const LOCK_OPTIONS = { stale: 10_000, retries: { retries: 100, minTimeout: 50, maxTimeout: 200 } }

/** The known platforms and their tokens, in a file of mode 600. */
export class Contexts {
  readonly path = join(folders.config, 'contexts.json')

  async read(): Promise<ContextFile> {
    return (await readPrivate<ContextFile>(this.path)) ?? EMPTY
  }

  /** The context of that name, or the current one. */
  async find(name?: string): Promise<{ name: string; context: Context } | undefined> {
    const { current, contexts } = await this.read()
    const wanted = name ?? current
    if (wanted === null) {
      return undefined
    }
    const context = Object.hasOwn(contexts, wanted) ? contexts[wanted] : undefined
    if (!context) {
      throw unknownContext(wanted, Object.keys(contexts))
    }
    return { name: wanted, context }
  }

  /** Saves a context. It becomes the current one if it is the first, or with `choose`. */
  async save(name: string, context: Context, { choose = false } = {}): Promise<void> {
    await this.update(({ current, contexts }) => ({
      current: choose ? name : (current ?? name),
      contexts: { ...contexts, [name]: context },
    }))
  }

  async choose(name: string): Promise<void> {
    await this.update((file) => {
      requireKnown(file, name)
      return { ...file, current: name }
    })
  }

  async remove(name: string): Promise<void> {
    await this.update((file) => {
      requireKnown(file, name)
      const { [name]: removed, ...contexts } = file.contexts
      return { current: file.current === name ? null : file.current, contexts }
    })
  }

  /** Updates the file under a lock, since several processes may run at once. */
  async update(next: (file: ContextFile) => ContextFile | Promise<ContextFile>): Promise<void> {
    await this.withLock(async () => this.replace(await next(await this.read())))
  }

  /** Replaces the file; the caller must hold the lock. */
  async replace(file: ContextFile): Promise<void> {
    await writePrivate(this.path, file)
  }

  /** Locks the file. A refresh token is valid once: two processes that renew would end the session. */
  async withLock<T>(action: () => Promise<T>): Promise<T> {
    await mkdir(folders.config, { recursive: true, mode: 0o700 })
    const release = await lockfile.lock(this.path, { realpath: false, ...LOCK_OPTIONS })
    try {
      return await action()
    } finally {
      await release()
    }
  }
}

function requireKnown({ contexts }: ContextFile, name: string): void {
  if (!Object.hasOwn(contexts, name)) {
    throw unknownContext(name, Object.keys(contexts))
  }
}

function unknownContext(name: string, known: readonly string[]): UsageProblem {
  return new UsageProblem(
    `There is no context "${name}".`,
    known.length > 0
      ? `There are: ${known.join(', ')}`
      : `Make one: hubctl login --context ${name} --url <address>`
  )
}
