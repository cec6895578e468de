import type { Stats } from 'node:fs'
import { mkdir, open, opendir, rmdir, stat, unlink } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { FSDriver } from 'flydrive/drivers/fs'

import { clock } from '#kernel/clock'
import { inParallel } from '#kernel/in_parallel'
import { syncFolder } from '#kernel/sync_folder'
import {
  ContainerMissing,
  ContainerNotEmpty,
  ObjectMissing,
  PutInterrupted,
} from '#storage/objects/errors'
import { interruptible } from '#storage/objects/interruptible'
import { requireSafeAddress, requireSafeContainer } from '#storage/objects/object_names'
import type {
  ByteRange,
  ExpectedObject,
  ObjectAddress,
  ObjectFacts,
  ObjectStore,
  PartialObject,
  PutOptions,
  UnfinishedObject,
} from '#storage/objects/object_store'
import { BufferStream } from '#storage/objects/buffer_stream'
import { checkedContent, isSmall } from '#storage/objects/small_objects'
import { Draft, ignoreMissing } from './draft.js'
import { draftName, fileName, keyOfDraft, keyOfFile } from './file_names.js'
import { openStream, READ_ONLY, readSmallFile } from './file_stream.js'
import { fsFailure } from './fs_failures.js'
import { ReadingThread } from './reading_thread.js'

/** The size of a chunk between two resumable states, each of which costs a sync. */
const CHUNK_BYTES = 64 * 1024 ** 2

const CONCURRENT_READS = 8

interface FsPartialState {
  /** The name of the temporary file. */
  readonly draft: string
}

/** Stores objects as files: one folder per container, one file per object. */
export class FsObjectStore implements ObjectStore {
  readonly #root: string
  readonly #drive: FSDriver
  readonly #thread = new ReadingThread()

  constructor(root: string) {
    this.#root = resolve(root)
    this.#drive = new FSDriver({ location: this.#root, visibility: 'private' })
  }

  async makeContainer(container: string): Promise<void> {
    const folder = this.#folder(container)
    const created = await mapFsErrors(mkdir(folder, { recursive: true, mode: 0o700 }))
    if (created !== undefined) {
      await mapFsErrors(syncFolder(this.#root))
    }
  }

  async removeContainer(container: string): Promise<void> {
    for await (const unfinished of this.unfinished(container)) {
      await unfinished.discard()
    }
    await rmdir(this.#folder(container)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY') {
        throw new ContainerNotEmpty(container, error)
      }
      ignoreMissing(error)
    })
  }

  async put(
    address: ObjectAddress,
    source: AsyncIterable<Uint8Array>,
    { signal }: PutOptions = {}
  ): Promise<number> {
    requireSafeAddress(address)
    const folder = this.#folder(address.container)
    signal?.throwIfAborted()
    const draft = await this.#createDraft(address, draftName(address.key))
    try {
      for await (const chunk of interruptible(source, signal)) {
        await mapDraftErrors(draft.write(chunk))
      }
      await mapDraftErrors(draft.finish(join(folder, fileName(address.key))))
      return draft.size
    } catch (error) {
      await draft.discard()
      throw error
    }
  }

  async startUpload(address: ObjectAddress): Promise<PartialObject> {
    requireSafeAddress(address)
    const name = draftName(address.key)
    const draft = await this.#createDraft(address, name)
    await mapDraftErrors(draft.suspend())
    await syncFolder(this.#folder(address.container))
    return partialOf(0, { draft: name })
  }

  async append(
    address: ObjectAddress,
    partial: PartialObject,
    source: AsyncIterable<Uint8Array>,
    { signal }: PutOptions = {}
  ): Promise<PartialObject> {
    signal?.throwIfAborted()
    const draft = await mapDraftErrors(
      Draft.resume(this.#draftPath(address, partial), partial.size)
    )
    try {
      for await (const chunk of interruptible(source, signal)) {
        await mapDraftErrors(draft.write(chunk))
      }
      await mapDraftErrors(draft.suspend())
      return partialOf(draft.size, partial.held as FsPartialState)
    } catch (error) {
      await draft.truncateAndClose(partial.size, () => signal?.aborted === true)
      throw error
    }
  }

  async complete(address: ObjectAddress, partial: PartialObject): Promise<void> {
    try {
      const draft = await mapDraftErrors(
        Draft.resume(this.#draftPath(address, partial), partial.size)
      )
      await mapDraftErrors(draft.finish(this.#path(address)))
    } catch (error) {
      const isComplete =
        error instanceof PutInterrupted && (await this.#isStored(address, partial.size))
      if (!isComplete) {
        throw error
      }
    }
  }

  async discard(address: ObjectAddress, partial: PartialObject): Promise<void> {
    await unlink(this.#draftPath(address, partial)).catch(ignoreMissing)
    await this.delete(address)
  }

  async read(address: ObjectAddress, range?: ByteRange, size?: number): Promise<Readable> {
    requireSafeAddress(address)
    if (size !== undefined && range === undefined && isSmall(size)) {
      return new BufferStream(await this.#readSmallFile(address, size))
    }
    return mapReadErrors(
      address,
      open(this.#path(address), READ_ONLY).then((file) => openStream(file, range))
    )
  }

  async readSmall(objects: readonly ExpectedObject[]): Promise<readonly (Buffer | Error)[]> {
    const files = objects.map(({ address, size }) => {
      requireSafeAddress(address)
      return { path: this.#path(address), size }
    })
    const read = await this.#thread.read(files)
    return inParallel(objects.entries(), CONCURRENT_READS, async ([n, { address, size }]) =>
      checkedContent(size, read[n] ?? this.#readSmallFile(address, size))
    )
  }

  async stat(address: ObjectAddress): Promise<ObjectFacts> {
    requireSafeAddress(address)
    const { contentLength, lastModified } = await mapReadErrors(
      address,
      this.#drive.getMetaData(this.#name(address))
    )
    return { key: address.key, size: contentLength, modifiedAt: lastModified }
  }

  async delete(address: ObjectAddress): Promise<void> {
    requireSafeAddress(address)
    await mapFsErrors(this.#drive.delete(this.#name(address)))
  }

  async *list(container: string, prefix = ''): AsyncGenerator<ObjectFacts> {
    for await (const { name, facts } of this.#files(container)) {
      const key = keyOfFile(name)
      if (key?.startsWith(prefix)) {
        yield { key, size: facts.size, modifiedAt: facts.mtime }
      }
    }
  }

  async *unfinished(container: string, prefix = ''): AsyncGenerator<UnfinishedObject> {
    for await (const { name, path, facts } of this.#files(container)) {
      const key = keyOfDraft(name)
      if (!key?.startsWith(prefix)) {
        continue
      }
      const discard = () => unlink(path).catch(ignoreMissing)
      yield { key, startedAt: new Date(Math.min(facts.birthtimeMs, clock.now())), discard }
    }
  }

  close(): void {
    this.#thread.close()
  }

  #readSmallFile(address: ObjectAddress, size: number): Promise<Buffer> {
    return mapReadErrors(address, readSmallFile(this.#path(address), size))
  }

  #createDraft({ container }: ObjectAddress, name: string): Promise<Draft> {
    return Draft.create(this.#folder(container), name).catch((error) => {
      throw isMissing(error) ? new ContainerMissing(container, error) : fsFailure(error)
    })
  }

  #draftPath(address: ObjectAddress, { held: state }: PartialObject): string {
    requireSafeAddress(address)
    return join(this.#folder(address.container), (state as FsPartialState).draft)
  }

  async #isStored(address: ObjectAddress, size: number): Promise<boolean> {
    const facts = await this.stat(address).catch((error) => {
      if (!(error instanceof ObjectMissing)) {
        throw error
      }
    })
    return facts?.size === size
  }

  async *#files(container: string): AsyncGenerator<{ name: string; path: string; facts: Stats }> {
    const folder = this.#folder(container)
    const entries = await mapFsErrors(opendir(folder).catch(ignoreMissing))
    for await (const entry of entries ?? []) {
      if (!entry.isFile()) {
        continue
      }
      const path = join(folder, entry.name)
      const facts = await stat(path).catch(ignoreMissing)
      if (facts) {
        yield { name: entry.name, path, facts }
      }
    }
  }

  #folder(container: string): string {
    requireSafeContainer(container)
    return join(this.#root, container)
  }

  #path(address: ObjectAddress): string {
    return this.#root + sep + this.#name(address)
  }

  #name({ container, key }: ObjectAddress): string {
    return container + sep + fileName(key)
  }
}

function partialOf(size: number, state: FsPartialState): PartialObject {
  return { size, nextBytes: CHUNK_BYTES, held: state }
}

/** Maps errors of the file system only: a source may fail with the same codes. */
function mapFsErrors<T>(operation: Promise<T>): Promise<T> {
  return operation.catch((error) => {
    throw fsFailure(error)
  })
}

/** Like `mapFsErrors`, for a file that must exist. */
function mapDraftErrors<T>(operation: Promise<T>): Promise<T> {
  return operation.catch((error) => {
    throw isMissing(error) ? new PutInterrupted(error) : fsFailure(error)
  })
}

/** Like `mapFsErrors`, for an object that is read. */
function mapReadErrors<T>(address: ObjectAddress, operation: Promise<T>): Promise<T> {
  return operation.catch((error) => {
    throw isMissing(error) ? new ObjectMissing(address, error) : fsFailure(error)
  })
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
