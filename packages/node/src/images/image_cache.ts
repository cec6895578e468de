import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, utimes, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { clock } from '#kernel/clock'
import { KeyedMutex } from '#kernel/keyed_mutex'
import { newId } from '#kernel/new_id'
import { syncFolder } from '#kernel/sync_folder'
import { tryParseJson } from '#kernel/try_parse_json'
import { isDigest } from '#oci/image_names'
import type { ImageStore } from '#oci/image_store'
import { platformImage } from '#oci/platform_image'
import { ImageRejected } from '#node/errors'
import { runConfigOf, type RunConfig } from './run_config.js'
import { unpackImage } from './unpack_image.js'
import type { UnpackLimits } from './unpack_layers.js'

const run = promisify(execFile)

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const DRAFT = 'draft-'
const REMOVED = 'removed-'

export interface ImageCacheOptions {
  /** The maximum size of unused unpacked images; the least recently used are removed first. */
  readonly maxBytes: number
  readonly limits?: UnpackLimits
}

/** An unpacked image that is not removed before its release. */
export interface UnpackedImage extends RunConfig {
  readonly rootPath: string
  release(): Promise<void>
}

interface ImageRecord extends RunConfig {
  readonly bytes: number
}

interface StoredImage {
  readonly name: string
  readonly bytes: number
  readonly usedAt: number
}

/** Unpacked images by the digest of their manifest. No other process uses the folder. */
export class ImageCache {
  readonly #folder: string
  readonly #options: ImageCacheOptions
  readonly #mutex = new KeyedMutex()
  readonly #uses = new Map<string, number>()

  constructor(folder: string, options: ImageCacheOptions) {
    this.#folder = folder
    this.#options = options
  }

  /** Removes incomplete images of a crashed process. Call it once, before the first use. */
  async recover(): Promise<void> {
    for (const name of await this.#names()) {
      if (name.startsWith(DRAFT) || name.startsWith(REMOVED)) {
        await rm(join(this.#folder, name), { recursive: true, force: true })
      }
    }
  }

  /** Returns an image, and unpacks it if it is missing. An unpacked digest is not requested again. */
  async acquire(
    store: ImageStore,
    repository: string,
    digest: string,
    signal?: AbortSignal
  ): Promise<UnpackedImage> {
    if (!isDigest(digest)) {
      throw new ImageRejected(
        `An image is unpacked by its digest, not by ${JSON.stringify(digest)}`
      )
    }
    const name = digest.replace(':', '-')
    this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1)
    try {
      const { command, variables, workingFolder, labels } = await this.#mutex.run(name, () =>
        this.#record(name, store, repository, digest, signal)
      )
      await this.#evict()
      const release = once(() => this.#release(name))
      const rootPath = join(this.#folder, name, 'root')
      return { command, variables, workingFolder, labels, rootPath, release }
    } catch (error) {
      await this.#release(name)
      throw error
    }
  }

  async #record(
    name: string,
    store: ImageStore,
    repository: string,
    digest: string,
    signal?: AbortSignal
  ): Promise<ImageRecord> {
    const existing = await this.#read(name)
    if (existing) {
      const now = clock.now() / 1000
      await utimes(join(this.#folder, name), now, now)
      return existing
    }
    const draft = join(this.#folder, `${DRAFT}${newId()}`)
    await mkdir(draft, { recursive: true, mode: 0o700 })
    try {
      const record = await this.#unpack(draft, store, repository, digest, signal)
      await rename(draft, join(this.#folder, name))
      await syncFolder(this.#folder)
      return record
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
  }

  async #unpack(
    draft: string,
    store: ImageStore,
    repository: string,
    digest: string,
    signal?: AbortSignal
  ): Promise<ImageRecord> {
    const platform = { os: 'linux', architecture: ARCHITECTURES[process.arch] ?? process.arch }
    const image = await platformImage(store, repository, digest, platform)
    const root = join(draft, 'root')
    const bytes = await unpackImage(store, image, root, this.#options.limits, signal)
    const record = { ...runConfigOf(image.config), bytes }
    await writeFile(join(draft, 'image.json'), JSON.stringify(record))
    // Syncs all files of an image at once; one sync per file takes many times as long.
    await run('sync', ['--file-system', draft])
    return record
  }

  async #read(name: string): Promise<ImageRecord | undefined> {
    const text = await readFile(join(this.#folder, name, 'image.json'), 'utf8').catch(() => '')
    return tryParseJson(text) as ImageRecord | undefined
  }

  async #release(name: string): Promise<void> {
    const uses = (this.#uses.get(name) ?? 1) - 1
    if (uses > 0) {
      this.#uses.set(name, uses)
    } else {
      this.#uses.delete(name)
      await this.#evict()
    }
  }

  async #evict(): Promise<void> {
    const names = await this.#names()
    const images = await Promise.all(
      names.filter((name) => name.startsWith('sha256-')).map((name) => this.#storedImage(name))
    )
    let total = images.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { name, bytes } of images.sort((one, other) => one.usedAt - other.usedAt)) {
      if (total > this.#options.maxBytes && !this.#uses.has(name)) {
        await this.#mutex.run(name, () => this.#remove(name))
        total -= bytes
      }
    }
  }

  async #storedImage(name: string): Promise<StoredImage> {
    const record = await this.#read(name)
    const stats = await stat(join(this.#folder, name)).catch(() => undefined)
    return { name, bytes: record?.bytes ?? 0, usedAt: stats?.mtimeMs ?? 0 }
  }

  /** Renames the folder first, so that an interrupted removal leaves no incomplete image. */
  async #remove(name: string): Promise<void> {
    if (this.#uses.has(name)) {
      return
    }
    const removed = join(this.#folder, `${REMOVED}${newId()}`)
    await rename(join(this.#folder, name), removed).catch(() => {})
    await rm(removed, { recursive: true, force: true })
  }

  async #names(): Promise<string[]> {
    return readdir(this.#folder).catch(() => [])
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined
  return () => (result ??= action())
}
