import type { ObjectAddress, ObjectStore, PutOptions } from '#storage/objects/object_store'
import { IncomingFile, requireSize } from './incoming_file.js'
import type { BufferedFile } from './buffered_file.js'

export interface UploadOptions extends PutOptions {
  /** The maximum size of a file; 0 means no limit. */
  readonly maxBytes: number
  /** How long a client may be silent before its upload is cancelled. */
  readonly silenceMs?: number
}

/** A stored file. */
export interface StoredFile {
  readonly size: number
  /** The SHA-256 of the content, in lower-case hexadecimal digits. */
  readonly sha256: string
}

const SILENCE_MS = 120_000

/**
 * Stores a file while it arrives and digests it. If the file is too large, the client disconnects or falls silent,
 * or the store is full, the object is removed. The source is not closed; it belongs to the request.
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

/** Like `storeUpload`, for a file that is buffered, completely or in part. */
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
