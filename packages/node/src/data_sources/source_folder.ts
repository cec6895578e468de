import { createReadStream, type ReadStream } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

import { GatewayError } from '#node/gateway/errors'

/** The files of a folder, by their path in it. Links that lead out of it are not followed. */
export class SourceFolder {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async list(): Promise<string[]> {
    const entries = await readdir(this.#path, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.#path, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
      .sort()
  }

  async read(key: string): Promise<ReadStream> {
    const root = await realpath(this.#path)
    const path = await realpath(join(root, key)).catch(() => undefined)
    const file = path?.startsWith(root + sep)
      ? await open(path, 'r').catch(() => undefined)
      : undefined
    if (!path || !file) {
      throw new GatewayError(404, 'The data source has no such file')
    }
    const stats = await file.stat()
    if (!stats.isFile()) {
      await file.close()
      throw new GatewayError(404, 'The data source has no such file')
    }
    return createReadStream(path, { fd: file })
  }
}
