import type { ObjectAddress, ObjectStore, PutOptions } from '#storage/objects/object_store'
import { Arrival, requireSize } from './arrival.js'
import type { GatheredBytes } from './gathered_bytes.js'

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
  const arrival = new Arrival(maxBytes, silenceMs)
  try {
    const size = await store.put(address, arrival.bytes(source), {
      expectedBytes,
      signal: signal ? AbortSignal.any([signal, arrival.stalled]) : arrival.stalled,
    })
    return { size, sha256: arrival.digest() }
  } finally {
    arrival.end()
  }
}

/** As `storeUpload`, for a file that was gathered: all of it, or the beginning of what still comes. */
export async function storeGathered(
  store: ObjectStore,
  address: ObjectAddress,
  gathered: GatheredBytes,
  options: UploadOptions
): Promise<StoredFile> {
  if (!gathered.isWhole) {
    return storeUpload(store, address, gathered.all(), options)
  }
  const { size } = gathered
  requireSize(size, options.maxBytes)
  await store.put(address, gathered.all(), { expectedBytes: size, signal: options.signal })
  return { size, sha256: gathered.digest() }
}
