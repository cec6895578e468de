import { constants } from 'node:fs'
import { open, rename, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { PutInterrupted } from '#storage/objects/errors'
import { writeChunks } from '#kernel/write_chunks'
import { syncFolder } from '#kernel/sync_folder'

const BATCH_BYTES = 256 * 1024
const MAX_BUFFERED_BYTES = 2 * 1024 ** 2

/** How often data is synced while more arrives, so that the last sync is short. */
const SYNC_EVERY_BYTES = 32 * 1024 ** 2

/**
 * A file that is written under a temporary name and renamed once it is on the disk. Chunks that arrive during a
 * write are buffered for the next one, up to a limit.
 */
export class Draft {
  readonly path: string
  readonly #file: FileHandle
  #buffered: Uint8Array[] = []
  #bufferedBytes = 0
  #writing: Promise<void> = Promise.resolve()
  #isWriting = false
  #syncing: Promise<void> | undefined
  #unsyncedBytes = 0
  size = 0

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.#file = file
  }

  static async create(folder: string, name: string): Promise<Draft> {
    const path = join(folder, name)
    return new Draft(path, await open(path, 'wx', 0o600))
  }

  /** Resumes a file at a size; bytes after it are truncated. */
  static async resume(path: string, size: number): Promise<Draft> {
    const file = await open(path, constants.O_WRONLY | constants.O_APPEND)
    try {
      const { size: found } = await file.stat()
      if (found < size) {
        throw new PutInterrupted()
      }
      if (found > size) {
        await file.truncate(size)
      }
    } catch (error) {
      await file.close()
      throw error
    }
    const draft = new Draft(path, file)
    draft.size = size
    return draft
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#buffered.push(chunk)
    this.#bufferedBytes += chunk.byteLength
    this.size += chunk.byteLength
    this.#writeWhenIdle()
    while (this.#bufferedBytes >= MAX_BUFFERED_BYTES) {
      await this.#writing
    }
  }

  /** Moves the file to its final path, durably. */
  async finish(path: string): Promise<void> {
    await this.#sync()
    await this.#file.close()
    await rename(this.path, path)
    await syncFolder(dirname(path))
  }

  /** Syncs and closes the file, so that `resume` can continue it. */
  async suspend(): Promise<void> {
    await this.#sync()
    const { nlink } = await this.#file.stat()
    await this.#file.close()
    if (nlink === 0) {
      throw new PutInterrupted()
    }
  }

  /** Closes the file after a failure. */
  async abandon(): Promise<void> {
    await this.#settle()
    await this.#file.close().catch(() => {})
  }

  /** Like `abandon`, but truncates the file first, to free space on a full disk. */
  async truncateAndClose(size: number, isTakenOver: () => boolean): Promise<void> {
    await this.#settle()
    if (!isTakenOver()) {
      await this.#file.truncate(size).catch(() => {})
    }
    await this.#file.close().catch(() => {})
  }

  async discard(): Promise<void> {
    await this.abandon()
    await unlink(this.path).catch(ignoreMissing)
  }

  async #settle(): Promise<void> {
    this.#buffered = []
    this.#bufferedBytes = 0
    await Promise.allSettled([this.#writing, this.#syncing])
  }

  async #sync(): Promise<void> {
    while (this.#isWriting) {
      await this.#writing
    }
    this.#writeBuffered()
    while (this.#isWriting) {
      await this.#writing
    }
    await this.#syncing
    await this.#file.datasync()
  }

  #writeWhenIdle(): void {
    if (!this.#isWriting && this.#bufferedBytes >= BATCH_BYTES) {
      this.#writeBuffered()
    }
  }

  #writeBuffered(): void {
    const chunks = this.#buffered
    const bytes = this.#bufferedBytes
    this.#buffered = []
    this.#bufferedBytes = 0
    this.#isWriting = true
    this.#writing = this.#writeAll(chunks).then(() => {
      this.#isWriting = false
      this.#writeWhenIdle()
    })
    this.#writing.catch(() => {})
    this.#unsyncedBytes += bytes
    if (this.#unsyncedBytes >= SYNC_EVERY_BYTES && !this.#syncing) {
      this.#syncInBackground()
    }
  }

  async #writeAll(chunks: Uint8Array[]): Promise<void> {
    if (chunks.length > 0) {
      await writeChunks(this.#file, chunks)
    }
  }

  #syncInBackground(): void {
    this.#unsyncedBytes = 0
    // A failed sync is remembered, so that the final one reports it: the next sync would succeed.
    this.#syncing = this.#file.datasync().then(() => void (this.#syncing = undefined))
    this.#syncing.catch(() => {})
  }
}

export function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') {
    throw error
  }
}
