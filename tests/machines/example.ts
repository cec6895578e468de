import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import type { Home } from '#tests/services/servers/home'

const run = promisify(execFile)

const MAKE_SECRETS = fileURLToPath(new URL('../../deploy/machines/make-secrets', import.meta.url))

/** The purposes of the passwords of the example. */
export type Purpose = 'etcd-root' | 'patroni' | 'postgres' | 'hub-database' | 'redis' | 'sentinel'

/** What a server shows to others, and whom it trusts. */
export interface Identity {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

type Named = { readonly name: string }

/** The example for three servers, as its own script fills it in. */
export class Example {
  readonly #folder: string

  static async make(folder: string): Promise<Example> {
    await run('/bin/sh', [MAKE_SECRETS, folder])
    return new Example(folder)
  }

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** A file of a host. Folders of the example are replaced by others. */
  async file(host: Named, name: string, folders: Record<string, string> = {}): Promise<string> {
    const text = await readFile(join(this.#folder, host.name, name), 'utf8')
    return Object.entries(folders).reduce(
      (filled, [folder, other]) => filled.replaceAll(folder, other),
      text
    )
  }

  /** Writes files of a host into the home of its server. */
  async lay(
    home: Home,
    host: Named,
    names: readonly string[],
    folders: Record<string, string> = {}
  ): Promise<void> {
    for (const name of names) {
      await home.write(name, await this.file(host, name, folders))
    }
  }

  password(purpose: Purpose): Promise<string> {
    return readFile(join(this.#folder, 'passwords', purpose), 'utf8')
  }

  async identityOf(host: Named): Promise<Identity> {
    const [ca, cert, key] = await Promise.all(
      ['servers.crt', 'server.crt', 'server.key'].map((name) => this.file(host, name))
    )
    return { ca: ca!, cert: cert!, key: key! }
  }
}
