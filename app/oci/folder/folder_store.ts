import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { clock } from '#kernel/clock'
import { jsonIn } from '#kernel/json_in'
import { passOn } from '#kernel/passing_bytes'

import { addressOf, checkedBytes, requireSame } from '#oci/checked_bytes'
import { BlobMissing, ImageFolderUnusable } from '#oci/errors'
import { requireDigest, requireReference, requireRepository } from '#oci/image_names'
import {
  type BlobAddress,
  type BlobSource,
  type Descriptor,
  type ExpectedBlobs,
  type ImageStore,
  type Referrer,
  type StoredManifest,
  type Wanted,
  type WritableSource,
} from '#oci/image_store'
import { inOnePiece } from '#oci/in_one_piece'
import { blobPath } from '#oci/layout_paths'
import { descriptorOf, isObject, parseManifest } from '#oci/manifest'
import { blobsOf } from '#oci/manifests_of'
import { isIndexType } from '#oci/media_types'
import { unlessAborted } from '#oci/unless_aborted'
import { draftsOf, newDraft } from './drafts.js'
import { isOf, LayoutIndex, NAME, REPOSITORY, SUBJECT } from './layout_index.js'
import { readManifest } from './read_manifest.js'
import { writtenBeside } from './written_beside.js'

const LAYOUT = JSON.stringify({ imageLayoutVersion: '1.0.0' })
const READ_BYTES = 64 * 1024

/**
 * Images in a folder, as an OCI layout that other programs read as well. All repositories share their blobs; which manifests a
 * repository has stands in `index.json`. What is written takes its place only when it is whole and on the disk.
 */
export class FolderStore implements ImageStore {
  readonly place: string
  readonly #folder: string
  readonly #index: LayoutIndex
  readonly #signal: AbortSignal | undefined

  private constructor(folder: string, signal?: AbortSignal) {
    this.#folder = folder
    this.#signal = signal
    this.#index = new LayoutIndex(folder)
    this.place = `folder:${folder}`
  }

  /** The layout in a folder, which is made where there is none. */
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
    this.#begin(repository)
    requireReference(reference)
    const entries = await this.#entriesOf(repository)
    const name = `${repository}:${reference}`
    const found = reference.includes(':')
      ? entries.find(({ digest }) => digest === reference)
      : entries.find(({ annotations }) => annotations?.[NAME] === name)
    return found ? this.#read(repository, found) : this.#withinIndex(repository, entries, reference)
  }

  async putManifest(repository: string, manifest: StoredManifest, tag?: string): Promise<void> {
    this.#begin(repository)
    if (tag !== undefined) {
      requireReference(tag)
    }
    requireSame({ digest: manifest.digest }, addressOf(manifest.bytes))
    await this.#requireParts(repository, manifest)
    await this.writeBlob(repository, inOnePiece(manifest.bytes), manifest)
    const entry = entryOf(repository, manifest, tag)
    const name = entry.annotations?.[NAME]
    await this.#index.change((entries) => {
      const isKnown = entries.some((one) => one.digest === entry.digest && isOf(one, repository))
      if (name === undefined && isKnown) {
        return entries
      }
      const others = entries.filter(
        (one) =>
          one.annotations?.[NAME] !== name &&
          !(one.digest === entry.digest && one.annotations?.[REPOSITORY] === repository)
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
    this.#begin(repository)
    requireDigest(digest)
    await this.#index.change((entries) => {
      const left = entries.filter((one) => one.digest !== digest || !isOf(one, repository))
      return left.length < entries.length ? left : entries
    })
  }

  /** One that is asked for is going to be used: a sweep that runs meanwhile leaves it. */
  async hasBlob(repository: string, digest: string): Promise<boolean> {
    this.#begin(repository)
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
    return checkedBytes(this.#bytes(repository, blob.digest), blob)
  }

  async writeBlob(
    repository: string,
    source: WritableSource,
    wanted: Wanted = {}
  ): Promise<BlobAddress> {
    this.#begin(repository)
    const hash = createHash('sha256')
    let size = 0
    let written: BlobAddress | undefined
    let broken: unknown
    const bytes = this.#unlessStopped(typeof source === 'function' ? source() : source)
    const hashed = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for await (const piece of bytes) {
          size += piece.byteLength
          hash.update(piece)
          yield piece
        }
      } catch (error) {
        broken = error
        throw error
      }
      written = { digest: `sha256:${hash.digest('hex')}`, size }
      requireSame(wanted, written)
      wanted.onRead?.(written)
    }
    const target = () => this.#pathOf(written!.digest)
    await writtenBeside(newDraft(this.#folder), hashed(), target).catch((error: unknown) => {
      throw error === broken ? error : failureOf(error, this.#folder)
    })
    return written!
  }

  expectBlobs(): ExpectedBlobs {
    return { release: async () => {} }
  }

  async mountBlob(repository: string, digest: string, from: string): Promise<boolean> {
    requireRepository(from)
    return this.hasBlob(repository, digest)
  }

  async tags(repository: string): Promise<readonly string[]> {
    this.#begin(repository)
    const beginning = `${repository}:`
    const entries = await this.#index.entries()
    return entries
      .map(({ annotations }) => annotations?.[NAME])
      .filter((name) => name?.startsWith(beginning))
      .map((name) => name!.slice(beginning.length))
  }

  async referrers(repository: string, digest: string): Promise<readonly Descriptor[]> {
    this.#begin(repository)
    requireDigest(digest)
    const entries = await this.#entriesOf(repository)
    return Promise.all(
      entries
        .filter(({ annotations }) => annotations?.[SUBJECT] === digest)
        .map(async (entry) => descriptorOf(await this.#read(repository, entry)))
    )
  }

  async #entriesOf(repository: string): Promise<readonly Descriptor[]> {
    const entries = await this.#index.entries()
    return entries.filter((entry) => isOf(entry, repository))
  }

  #begin(repository: string): void {
    requireRepository(repository)
    this.#signal?.throwIfAborted()
  }

  #pathOf(digest: string): string {
    requireDigest(digest)
    return join(this.#folder, blobPath(digest))
  }

  async #prepare(): Promise<void> {
    try {
      for (const folder of [join(this.#folder, 'blobs', 'sha256'), draftsOf(this.#folder)]) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
      }
      const layout = join(this.#folder, 'oci-layout')
      const said = await readFile(layout, 'utf8').catch(() => undefined)
      if (said === undefined) {
        await writtenBeside(newDraft(this.#folder), inOnePiece(Buffer.from(LAYOUT)), () => layout)
      } else if (!isLayout(said)) {
        throw new ImageFolderUnusable(`${this.#folder} is no OCI layout of version 1`)
      }
    } catch (error) {
      throw failureOf(error, this.#folder)
    }
    await this.#index.found()
  }

  async *#bytes(repository: string, digest: string): AsyncGenerator<Buffer, void, undefined> {
    this.#signal?.throwIfAborted()
    try {
      const pieces = createReadStream(this.#pathOf(digest), {
        highWaterMark: READ_BYTES,
        signal: this.#signal,
      })
      for await (const piece of pieces as AsyncIterable<Buffer>) {
        yield passOn(piece)
      }
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? new BlobMissing(repository, digest, error)
        : failureOf(error, this.#folder)
    }
  }

  async *#unlessStopped(source: BlobSource): AsyncGenerator<Uint8Array, void, undefined> {
    const pieces = source[Symbol.asyncIterator]()
    let isEnded = false
    try {
      for (;;) {
        const { done, value } = await unlessAborted(pieces.next(), this.#signal)
        if (done) {
          isEnded = true
          return
        }
        yield value
      }
    } finally {
      // Not waited for: the source may never settle.
      if (!isEnded) {
        void pieces.return?.().catch(() => {})
      }
    }
  }

  async #read(repository: string, entry: Descriptor): Promise<StoredManifest> {
    return readManifest(this.#folder, repository, entry)
  }

  /** Other programs write only the index of an image for several machines into `index.json`, not what it names. */
  async #withinIndex(
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
      ...(tag === undefined ? { [REPOSITORY]: repository } : { [NAME]: `${repository}:${tag}` }),
      ...(subject && { [SUBJECT]: subject.digest }),
    },
  }
}

function isLayout(text: string): boolean {
  const said = jsonIn(text)
  return isObject(said) && said.imageLayoutVersion === '1.0.0'
}

/** What the disk says, as a failure of ours. */
function failureOf(error: unknown, folder: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall !== undefined && code !== undefined && !(error instanceof ImageFolderUnusable)
    ? new ImageFolderUnusable(`${folder} cannot be used: ${code}`, error)
    : error
}
