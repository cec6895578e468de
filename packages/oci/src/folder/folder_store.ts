import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { clock } from '#kernel/clock'
import { tryParseJson } from '#kernel/try_parse_json'
import { markReleasable } from '#kernel/chunk_memory'

import { addressOf, verifiedBytes, requireSame } from '#oci/verified_bytes'
import { BlobMissing, ImageFolderUnusable } from '#oci/errors'
import { requireDigest, requireReference, requireRepository } from '#oci/image_names'
import {
  type BlobAddress,
  type BlobSource,
  type Descriptor,
  type PreparedUploads,
  type ImageStore,
  type Referrer,
  type StoredManifest,
  type BlobWriteOptions,
  type WritableSource,
} from '#oci/image_store'
import { singleChunk } from '#oci/single_chunk'
import { blobPath } from '#oci/layout_paths'
import { descriptorOf, isObject, parseManifest } from '#oci/manifest'
import { blobsOf } from '#oci/manifests_of'
import { isIndexType } from '#oci/media_types'
import { unlessAborted } from '#oci/unless_aborted'
import { draftsFolder, newDraft } from './drafts.js'
import {
  isInRepository,
  LayoutIndex,
  NAME_ANNOTATION,
  REPOSITORY_ANNOTATION,
  SUBJECT_ANNOTATION,
} from './layout_index.js'
import { readManifest } from './read_manifest.js'
import { writeAtomically } from './write_atomically.js'

const LAYOUT = JSON.stringify({ imageLayoutVersion: '1.0.0' })
const READ_BYTES = 64 * 1024

/**
 * Stores images in an OCI layout that other tools can read. Blobs are shared between repositories, and `index.json`
 * lists the manifests of each. Files appear under their name only when they are complete and synced to disk.
 */
export class FolderStore implements ImageStore {
  readonly storageId: string
  readonly #folder: string
  readonly #index: LayoutIndex
  readonly #signal: AbortSignal | undefined

  private constructor(folder: string, signal?: AbortSignal) {
    this.#folder = folder
    this.#signal = signal
    this.#index = new LayoutIndex(folder)
    this.storageId = `folder:${folder}`
  }

  /** Opens the layout in a folder, creating it if needed. */
  static async open(path: string): Promise<FolderStore> {
    const store = new FolderStore(resolve(path))
    await store.#prepare()
    return store
  }

  within(signal: AbortSignal): FolderStore {
    return new FolderStore(this.#folder, signal)
  }

  close(): void {}

  async manifest(repository: string, reference: string): Promise<StoredManifest | undefined> {
    this.#requireUsable(repository)
    requireReference(reference)
    const entries = await this.#entriesOf(repository)
    const name = `${repository}:${reference}`
    const found = reference.includes(':')
      ? entries.find(({ digest }) => digest === reference)
      : entries.find(({ annotations }) => annotations?.[NAME_ANNOTATION] === name)
    return found
      ? this.#read(repository, found)
      : this.#findInIndexes(repository, entries, reference)
  }

  async putManifest(repository: string, manifest: StoredManifest, tag?: string): Promise<void> {
    this.#requireUsable(repository)
    if (tag !== undefined) {
      requireReference(tag)
    }
    requireSame({ digest: manifest.digest }, addressOf(manifest.bytes))
    await this.#requireParts(repository, manifest)
    await this.writeBlob(repository, singleChunk(manifest.bytes), manifest)
    const entry = entryOf(repository, manifest, tag)
    const name = entry.annotations?.[NAME_ANNOTATION]
    await this.#index.change((entries) => {
      const isKnown = entries.some(
        (one) => one.digest === entry.digest && isInRepository(one, repository)
      )
      if (name === undefined && isKnown) {
        return entries
      }
      const others = entries.filter(
        (one) =>
          one.annotations?.[NAME_ANNOTATION] !== name &&
          !(one.digest === entry.digest && one.annotations?.[REPOSITORY_ANNOTATION] === repository)
      )
      return [...(name === undefined ? entries : others), entry]
    })
  }

  async putReferrers(repository: string, referrers: readonly Referrer[]): Promise<void> {
    for (const { manifest, tag } of referrers) {
      await this.putManifest(repository, manifest, tag)
    }
  }

  async removeManifest(repository: string, digest: string): Promise<void> {
    this.#requireUsable(repository)
    requireDigest(digest)
    await this.#index.change((entries) => {
      const remaining = entries.filter(
        (one) => one.digest !== digest || !isInRepository(one, repository)
      )
      return remaining.length < entries.length ? remaining : entries
    })
  }

  /** Touches the blob, so that a concurrent sweep does not remove it. */
  async hasBlob(repository: string, digest: string): Promise<boolean> {
    this.#requireUsable(repository)
    requireDigest(digest)
    const now = new Date(clock.now())
    return utimes(this.#pathOf(digest), now, now).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') {
          return false
        }
        throw new ImageFolderUnusable(`${this.#folder} cannot be used`, error)
      }
    )
  }

  readBlob(repository: string, blob: BlobAddress): BlobSource {
    requireRepository(repository)
    requireDigest(blob.digest)
    return verifiedBytes(this.#bytes(repository, blob.digest), blob)
  }

  async writeBlob(
    repository: string,
    source: WritableSource,
    options: BlobWriteOptions = {}
  ): Promise<BlobAddress> {
    this.#requireUsable(repository)
    const hash = createHash('sha256')
    let size = 0
    let written: BlobAddress | undefined
    let sourceError: unknown
    const bytes = this.#abortable(typeof source === 'function' ? source() : source)
    const hashed = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for await (const chunk of bytes) {
          size += chunk.byteLength
          hash.update(chunk)
          yield chunk
        }
      } catch (error) {
        sourceError = error
        throw error
      }
      written = { digest: `sha256:${hash.digest('hex')}`, size }
      requireSame(options, written)
      options.onRead?.(written)
    }
    const target = () => this.#pathOf(written!.digest)
    await writeAtomically(newDraft(this.#folder), hashed(), target).catch((error: unknown) => {
      throw error === sourceError ? error : toFolderError(error, this.#folder)
    })
    return written!
  }

  prepareUploads(): PreparedUploads {
    return { release: async () => {} }
  }

  async mountBlob(repository: string, digest: string, from: string): Promise<boolean> {
    requireRepository(from)
    return this.hasBlob(repository, digest)
  }

  async tags(repository: string): Promise<readonly string[]> {
    this.#requireUsable(repository)
    const prefix = `${repository}:`
    const entries = await this.#index.entries()
    return entries
      .map(({ annotations }) => annotations?.[NAME_ANNOTATION])
      .filter((name) => name?.startsWith(prefix))
      .map((name) => name!.slice(prefix.length))
  }

  async referrers(repository: string, digest: string): Promise<readonly Descriptor[]> {
    this.#requireUsable(repository)
    requireDigest(digest)
    const entries = await this.#entriesOf(repository)
    return Promise.all(
      entries
        .filter(({ annotations }) => annotations?.[SUBJECT_ANNOTATION] === digest)
        .map(async (entry) => descriptorOf(await this.#read(repository, entry)))
    )
  }

  async #entriesOf(repository: string): Promise<readonly Descriptor[]> {
    const entries = await this.#index.entries()
    return entries.filter((entry) => isInRepository(entry, repository))
  }

  #requireUsable(repository: string): void {
    requireRepository(repository)
    this.#signal?.throwIfAborted()
  }

  #pathOf(digest: string): string {
    requireDigest(digest)
    return join(this.#folder, blobPath(digest))
  }

  async #prepare(): Promise<void> {
    try {
      for (const folder of [join(this.#folder, 'blobs', 'sha256'), draftsFolder(this.#folder)]) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
      }
      const layout = join(this.#folder, 'oci-layout')
      const content = await readFile(layout, 'utf8').catch(() => undefined)
      if (content === undefined) {
        await writeAtomically(
          newDraft(this.#folder),
          singleChunk(Buffer.from(LAYOUT)),
          () => layout
        )
      } else if (!isLayout(content)) {
        throw new ImageFolderUnusable(`${this.#folder} is not an OCI layout of version 1.0.0`)
      }
    } catch (error) {
      throw toFolderError(error, this.#folder)
    }
    await this.#index.createIfMissing()
  }

  async *#bytes(repository: string, digest: string): AsyncGenerator<Buffer, void, undefined> {
    this.#signal?.throwIfAborted()
    try {
      const chunks = createReadStream(this.#pathOf(digest), {
        highWaterMark: READ_BYTES,
        signal: this.#signal,
      })
      for await (const chunk of chunks as AsyncIterable<Buffer>) {
        yield markReleasable(chunk)
      }
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? new BlobMissing(repository, digest, error)
        : toFolderError(error, this.#folder)
    }
  }

  async *#abortable(source: BlobSource): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks = source[Symbol.asyncIterator]()
    let isFinished = false
    try {
      for (;;) {
        const { done, value } = await unlessAborted(chunks.next(), this.#signal)
        if (done) {
          isFinished = true
          return
        }
        yield value
      }
    } finally {
      // Not awaited: the source may never settle.
      if (!isFinished) {
        void chunks.return?.().catch(() => {})
      }
    }
  }

  async #read(repository: string, entry: Descriptor): Promise<StoredManifest> {
    return readManifest(this.#folder, repository, entry)
  }

  /**
   * Finds a manifest by digest in the indexes of the repository. Other tools list only the index of a multi-platform
   * image in `index.json`.
   */
  async #findInIndexes(
    repository: string,
    entries: readonly Descriptor[],
    reference: string
  ): Promise<StoredManifest | undefined> {
    for (const entry of entries.filter(({ mediaType }) => isIndexType(mediaType))) {
      const index = parseManifest(await this.#read(repository, entry))
      const children = index.kind === 'index' ? index.manifests : []
      const child = children.find(({ digest }) => digest === reference)
      if (child) {
        return this.#read(repository, child)
      }
    }
    return undefined
  }

  async #requireParts(repository: string, manifest: StoredManifest): Promise<void> {
    const parsed = parseManifest(manifest)
    const parts = parsed.kind === 'index' ? parsed.manifests : blobsOf(manifest)
    for (const { digest } of parts) {
      if (!(await this.hasBlob(repository, digest))) {
        throw new BlobMissing(repository, digest)
      }
    }
  }
}

function entryOf(
  repository: string,
  manifest: StoredManifest,
  tag: string | undefined
): Descriptor {
  const { subject } = parseManifest(manifest)
  return {
    ...descriptorOf(manifest),
    annotations: {
      ...(tag === undefined
        ? { [REPOSITORY_ANNOTATION]: repository }
        : { [NAME_ANNOTATION]: `${repository}:${tag}` }),
      ...(subject && { [SUBJECT_ANNOTATION]: subject.digest }),
    },
  }
}

function isLayout(text: string): boolean {
  const content = tryParseJson(text)
  return isObject(content) && content.imageLayoutVersion === '1.0.0'
}

/** Converts a file system error. */
function toFolderError(error: unknown, folder: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall !== undefined && code !== undefined && !(error instanceof ImageFolderUnusable)
    ? new ImageFolderUnusable(`${folder} cannot be used: ${code}`, error)
    : error
}
