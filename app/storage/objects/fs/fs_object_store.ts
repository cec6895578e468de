import type { Stats } from 'node:fs'
import { mkdir, open, opendir, rmdir, stat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { FSDriver } from 'flydrive/drivers/fs'

import { clock } from '#runtime/clock'
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
  ObjectAddress,
  ObjectFacts,
  ObjectStore,
  PutOptions,
  UnfinishedObject,
} from '#storage/objects/object_store'
import { Draft, ignoreMissing, syncFolder } from './draft.js'
import { draftName, fileName, keyOfDraft, keyOfFile } from './file_names.js'
import { openBytes } from './file_stream.js'
import { fsFailure } from './fs_failures.js'

/** Keeps objects as files: a folder for each container, and a file for each object in it. */
export class FsObjectStore implements ObjectStore {
  readonly #root: string
  readonly #drive: FSDriver

  constructor(root: string) {
    this.#root = resolve(root)
    this.#drive = new FSDriver({ location: this.#root, visibility: 'private' })
  }

  async makeContainer(container: string): Promise<void> {
    const made = await mkdir(this.#folder(container), { recursive: true, mode: 0o700 })
    if (made !== undefined) await syncFolder(this.#root)
  }

  async removeContainer(container: string): Promise<void> {
    for await (const unfinished of this.unfinished(container)) await unfinished.discard()
    await rmdir(this.#folder(container)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY') throw new ContainerNotEmpty(container, error)
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
    const draft = await Draft.begin(folder, draftName(address.key)).catch((error) => {
      throw isMissing(error) ? new ContainerMissing(address.container, error) : fsFailure(error)
    })
    try {
      for await (const chunk of interruptible(source, signal)) await written(draft.write(chunk))
      await written(draft.finish(join(folder, fileName(address.key))))
      return draft.size
    } catch (error) {
      await draft.discard()
      throw error
    }
  }

  async read(address: ObjectAddress, range?: ByteRange): Promise<Readable> {
    requireSafeAddress(address)
    const file = await open(this.#path(address), 'r').catch((error) => {
      throw isMissing(error) ? new ObjectMissing(address, error) : fsFailure(error)
    })
    return openBytes(file, range)
  }

  async stat(address: ObjectAddress): Promise<ObjectFacts> {
    requireSafeAddress(address)
    const { contentLength, lastModified } = await this.#drive
      .getMetaData(this.#name(address))
      .catch((error) => {
        throw isMissing(error) ? new ObjectMissing(address, error) : fsFailure(error)
      })
    return { key: address.key, size: contentLength, modifiedAt: lastModified }
  }

  async delete(address: ObjectAddress): Promise<void> {
    requireSafeAddress(address)
    await this.#drive.delete(this.#name(address))
  }

  async *list(container: string, prefix = ''): AsyncGenerator<ObjectFacts> {
    for await (const { name, facts } of this.#files(container)) {
      const key = keyOfFile(name)
      if (key?.startsWith(prefix)) yield { key, size: facts.size, modifiedAt: facts.mtime }
    }
  }

  async *unfinished(container: string, prefix = ''): AsyncGenerator<UnfinishedObject> {
    for await (const { name, path, facts } of this.#files(container)) {
      const key = keyOfDraft(name)
      if (!key?.startsWith(prefix)) continue
      const discard = () => unlink(path).catch(ignoreMissing)
      yield { key, startedAt: new Date(Math.min(facts.birthtimeMs, clock.now())), discard }
    }
  }

  close(): void {}

  async *#files(container: string): AsyncGenerator<{ name: string; path: string; facts: Stats }> {
    const folder = this.#folder(container)
    const entries = await opendir(folder).catch(ignoreMissing)
    for await (const entry of entries ?? []) {
      if (!entry.isFile()) continue
      const path = join(folder, entry.name)
      const facts = await stat(path).catch(ignoreMissing)
      if (facts) yield { name: entry.name, path, facts }
    }
  }

  #folder(container: string): string {
    requireSafeContainer(container)
    return join(this.#root, container)
  }

  #path(address: ObjectAddress): string {
    return join(this.#root, this.#name(address))
  }

  #name({ container, key }: ObjectAddress): string {
    return join(container, fileName(key))
  }
}

/** Translates what the disk says, and only that: a source may fail with the same codes. */
function written(writing: Promise<void>): Promise<void> {
  return writing.catch((error) => {
    throw isMissing(error) ? new PutInterrupted(error) : fsFailure(error)
  })
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
