import { randomBytes } from 'node:crypto'
import { mkdir, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

const PREFIX = 'hub-sandbox-'

/**
 * The folder for what the parts of a sandbox keep for a time. Its path is short, since that of a socket has at most
 * 107 bytes. A link in the folder of the sandbox leads to it, so that the next start finds what a killed one left.
 */
export class TemporaryFolder {
  readonly #link: string

  constructor(sandbox: string) {
    this.#link = join(sandbox, 'temporary')
  }

  /** Removes the former one. */
  async create(): Promise<string> {
    await this.remove()
    const folder = join(tmpdir(), PREFIX + randomBytes(6).toString('base64url'))
    await mkdir(dirname(this.#link), { recursive: true, mode: 0o700 })
    // The link comes first: a process that is killed in between leaves nothing that is not found.
    await symlink(folder, this.#link)
    await mkdir(folder, { mode: 0o700 })
    return folder
  }

  async remove(): Promise<void> {
    const folder = await readlink(this.#link).catch(() => undefined)
    if (folder === undefined) {
      return
    }
    if (basename(folder).startsWith(PREFIX)) {
      await rm(folder, { recursive: true, force: true })
    }
    await rm(this.#link)
  }
}
