import type { ObjectAddress, ObjectStore, PutOptions } from '#storage/objects/object_store'
import { IncomingFile, requireSize } from './incoming_file.js'
import type { BufferedFile } from './buffered_file.js'

export interface UploadOptions extends PutOptions {
  /** The most bytes a file may have; 0 is no limit. */
  readonly maxBytes: number
  /** How long a client may send nothing before its upload is given up. */
  readonly silenceMs?: number
}

/** What is known of a file when all of it is stored. */
export interface StoredFile {
  readonly size: number
  /** SHA-256 of the content, in lower-case hexadecimal digits. */
  readonly sha256: string
}

const SILENCE_MS = 120_000

/**
 * Stores a file while it arrives, and takes its digest on the way. A file that is too large, a client that leaves or falls
 * silent, a store that is full: nothing is left of the file then. The source is not closed; it belongs to the request.
 */
export async function storeUpload(
  store: ObjectStore,
  address: ObjectAddress,
  source: AsyncIterable<Uint8Array>,
  { maxBytes, silenceMs = SILENCE_MS, expectedBytes, signal }: UploadOptions
): Promise<StoredFile> {
  const file = new IncomingFile(maxBytes, silenceMs)
  try {
    const size = await store.put(address, file.bytes(source), {
      expectedBytes,
      signal: signal ? AbortSignal.any([signal, file.stalled]) : file.stalled,
    })
    return { size, sha256: file.digest() }
  } finally {
    file.end()
  }
}

/** As `storeUpload`, for a file that was gathered: all of it, or the beginning of what still comes. */
export async function storeBuffered(
  store: ObjectStore,
  address: ObjectAddress,
  file: BufferedFile,
  options: UploadOptions
): Promise<StoredFile> {
  if (!file.isWhole) {
    return storeUpload(store, address, file.all(), options)
  }
  const { size } = file
  requireSize(size, options.maxBytes)
  await store.put(address, file.all(), { expectedBytes: size, signal: options.signal })
  return { size, sha256: file.digest() }
}
