import { randomUUID } from 'node:crypto'
import { mkdir, readFile, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isUuid } from '#kernel/is_uuid'

import { writeWhole } from '#node/files/write_whole'
import { GatewayError } from '#node/gateway/errors'

export interface LocalFile {
  readonly id: string
  readonly tag: string | null
  readonly createdAt: string
}

const MAX_FILES = 10_000
const TAG = /^[a-z0-9-]{1,64}$/

/** Tagged files of a project that stay at the node. Later analyses of the same project can read them. */
export class LocalFiles {
  readonly #folder: string
  readonly #maxBytes: number

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  /** Moves a file into the project. */
  async add(path: string, tag: string | undefined): Promise<LocalFile> {
    if (tag !== undefined && !TAG.test(tag)) {
      throw new GatewayError(400, 'A tag has lower-case letters, digits and dashes, at most 64')
    }
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await this.#requireRoomFor(path)
    const file = { id: randomUUID(), tag: tag ?? null, createdAt: new Date().toISOString() }
    await rename(path, this.#pathOf(file.id))
    await writeWhole(`${this.#pathOf(file.id)}.json`, JSON.stringify(file))
    return file
  }

  /** The path of a file. */
  async find(id: string): Promise<string> {
    const path = this.#pathOf(isUuid(id) ? id : 'none')
    const found = await stat(path).catch(() => undefined)
    if (!found) {
      throw new GatewayError(404, 'The project has no local file with this id')
    }
    return path
  }

  /** All tagged files, the oldest first. */
  async tagged(): Promise<readonly (LocalFile & { tag: string })[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const files: LocalFile[] = []
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      files.push(JSON.parse(await readFile(join(this.#folder, name), 'utf8')) as LocalFile)
    }
    return files
      .filter((file): file is LocalFile & { tag: string } => file.tag !== null)
      .sort((one, other) => one.createdAt.localeCompare(other.createdAt))
  }

  async #requireRoomFor(path: string): Promise<void> {
    const names = await readdir(this.#folder)
    if (names.length >= 2 * MAX_FILES) {
      throw new GatewayError(507, `A project has at most ${MAX_FILES} local files`)
    }
    const paths = [path, ...names.map((name) => join(this.#folder, name))]
    const stats = await Promise.all(paths.map((one) => stat(one).catch(() => ({ size: 0 }))))
    if (stats.reduce((sum, { size }) => sum + size, 0) > this.#maxBytes) {
      throw new GatewayError(
        507,
        `The local files of a project have at most ${this.#maxBytes} bytes`
      )
    }
  }

  #pathOf(id: string): string {
    return join(this.#folder, id)
  }
}
