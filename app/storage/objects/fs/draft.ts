import { constants } from 'node:fs'
import { open, rename, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { PutInterrupted } from '#storage/objects/errors'
import { releaseChunk } from '#kernel/chunk_memory'
import { syncFolder } from '#kernel/sync_folder'

const BATCH_BYTES = 256 * 1024
const MAX_BUFFERED_BYTES = 2 * 1024 ** 2

/** The disk writes along while more bytes come, so that the last sync does not have to wait for all of them. */
const SYNC_EVERY_BYTES = 32 * 1024 ** 2

/**
 * A file that is written under a name of its own and takes its place only when all of it is on the disk. What comes while a
 * batch is written is gathered for the next one, up to a limit.
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

  /** Goes on with a file after so many bytes of it; what was written behind them is cut off. */
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

  /** Moves the file to where it belongs; it is there after a power cut as well. */
  async finish(path: string): Promise<void> {
    await this.#sync()
    await this.#file.close()
    await rename(this.path, path)
    await syncFolder(dirname(path))
  }

  /** Leaves the file as it is, with all that was written on the disk; `resume` goes on with it. */
  async suspend(): Promise<void> {
    await this.#sync()
    const { nlink } = await this.#file.stat()
    await this.#file.close()
    if (nlink === 0) {
      throw new PutInterrupted()
    }
  }

  /** Lets go of the file where it is not known how much of it was written. */
  async abandon(): Promise<void> {
    await this.#settle()
    await this.#file.close().catch(() => {})
  }

  /** As `abandon`, without what lies behind so many bytes: on a full disk it would take the room of others. */
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
    this.#writing = this.#writeAll(chunks, bytes).then(() => {
      this.#isWriting = false
      this.#writeWhenIdle()
    })
    this.#writing.catch(() => {})
    this.#unsyncedBytes += bytes
    if (this.#unsyncedBytes >= SYNC_EVERY_BYTES && !this.#syncing) {
      this.#syncInBackground()
    }
  }

  async #writeAll(chunks: Uint8Array[], bytes: number): Promise<void> {
    if (bytes === 0) {
      return
    }
    let { bytesWritten: written } = await this.#file.writev(chunks)
    // A disk that is nearly full takes a part, and refuses the rest.
    const all = written < bytes ? Buffer.concat(chunks) : undefined
    while (all && written < bytes) {
      const rest = await this.#file.write(all, written)
      written += rest.bytesWritten
    }
    chunks.forEach(releaseChunk)
  }

  #syncInBackground(): void {
    this.#unsyncedBytes = 0
    // One that failed stays, so that the end of the file is told of it: the next sync would not fail again.
    this.#syncing = this.#file.datasync().then(() => void (this.#syncing = undefined))
    this.#syncing.catch(() => {})
  }
}

export function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') {
    throw error
  }
}
