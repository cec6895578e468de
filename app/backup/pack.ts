import { createHash } from 'node:crypto'
import { PassThrough, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'

import type { BackupStore } from './backup_store.js'
import { BackupDamaged } from './errors.js'

/** Size and digest of a part before compression. */
export interface PackedContent {
  readonly bytes: number
  readonly sha256: string
}

/** Computes size and digest of the bytes that pass, and fails as soon as there are more than announced. */
class ContentDigest extends Transform {
  readonly #digest = createHash('sha256')
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    super()
    this.#maxBytes = maxBytes
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#digest.update(chunk)
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) {
      done(new ContentTooLong())
    } else {
      done(null, chunk)
    }
  }

  content(): PackedContent {
    return { bytes: this.#bytes, sha256: this.#digest.digest('hex') }
  }
}

class ContentTooLong extends Error {}

type Source = NodeJS.ReadableStream | AsyncIterable<Uint8Array | string>

/** Compresses a source into a part of the backup. */
export async function pack(
  backupStore: BackupStore,
  name: string,
  source: Source,
  signal: AbortSignal
): Promise<PackedContent> {
  const digest = new ContentDigest()
  const packed = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  await pipeline(
    source,
    digest,
    packed,
    async (chunks: AsyncIterable<Uint8Array>) =>
      void (await backupStore.put(name, chunks, { signal })),
    { signal }
  )
  return digest.content()
}

/**
 * Decompresses a part into a reader. Fails if the content does not match: at the end, or as soon as it is longer than
 * announced, since a few bytes may decompress to very many.
 */
export async function unpack(
  backupStore: BackupStore,
  name: string,
  { bytes, sha256 }: PackedContent,
  reader: NodeJS.WritableStream | ((chunks: AsyncIterable<Buffer>) => Promise<void>),
  signal: AbortSignal
): Promise<void> {
  const digest = new ContentDigest(bytes)
  const read = await backupStore.read(name).catch((error: unknown) => {
    throw new BackupDamaged(name, 'it cannot be read', error)
  })
  try {
    await pipeline(read, createZstdDecompress(), digest, reader as NodeJS.WritableStream, {
      signal,
    })
  } catch (error) {
    if (error instanceof ContentTooLong) {
      throw new BackupDamaged(name, `it has more than the expected ${bytes} bytes`, error)
    }
    throw isDecompressionError(error)
      ? new BackupDamaged(name, 'it cannot be decompressed', error)
      : error
  }
  const actual = digest.content()
  if (actual.bytes !== bytes || actual.sha256 !== sha256) {
    throw new BackupDamaged(
      name,
      `expected ${bytes} bytes with digest ${sha256}, got ${actual.bytes} bytes with digest ${actual.sha256}`
    )
  }
}

/** Reads a part only to verify it. */
export function verify(
  backupStore: BackupStore,
  name: string,
  content: PackedContent,
  signal: AbortSignal
): Promise<void> {
  return unpack(backupStore, name, content, new PassThrough().resume(), signal)
}

const isDecompressionError = (error: unknown) =>
  String((error as { code?: unknown }).code).startsWith('ZSTD_') ||
  (error as { code?: unknown }).code === 'ERR_ZSTD_INVALID_PARAM' ||
  /zstd|unexpected end of file/i.test((error as Error).message)
