import { Readable } from 'node:stream'

import { checkDigest } from '#storage/objects/check_digest'
import { checkSize } from '#storage/objects/check_size'
import { safePath } from '#storage/bucket_files/file_path'
import { releaseChunk } from '#kernel/chunk_memory'
import { padding, tarEnd, tarHeader } from '#kernel/tar_header'
import { tarSmallFiles } from './tar_small_files.js'
import { ObjectPrefetcher } from './object_prefetcher.js'
import type { TarEntry, TarRun } from './tar_entry.js'

/** The size of a file was never recorded, which a tar requires. */
export class SizeUnknown extends Error {
  static readonly code = 'E_SIZE_UNKNOWN'
  readonly code = SizeUnknown.code

  constructor(path: string) {
    super(`The size of ${JSON.stringify(path)} was never recorded, which a tar requires`)
  }
}

const CHUNK_BYTES = 64 * 1024

/**
 * Streams a tar of the files in order. It breaks off if an object is missing or differs in size or digest, so a tar
 * that ends normally is complete.
 */
export function tarStream(entries: AsyncIterable<TarEntry | TarRun>): Readable {
  return Readable.from(coalesce(tarChunks(entries)), { objectMode: false })
}

async function* tarChunks(entries: AsyncIterable<TarEntry | TarRun>): AsyncGenerator<Uint8Array> {
  const prefetcher = new ObjectPrefetcher(entries)
  try {
    for (let next = await prefetcher.next(); next; next = await prefetcher.next()) {
      if ('run' in next) {
        const bytes = tarSmallFiles(next.run.files, await next.contents)
        prefetcher.prefetch(0)
        yield bytes
      } else {
        yield* entryChunks(next.entry, await next.bytes, prefetcher)
      }
    }
    yield tarEnd()
  } finally {
    await prefetcher.close()
  }
}

async function* entryChunks(
  { path, size, sha256, modifiedAt }: TarEntry,
  bytes: Readable,
  prefetcher: ObjectPrefetcher
): AsyncGenerator<Uint8Array> {
  if (size === null) {
    throw new SizeUnknown(path)
  }
  const sized = checkSize(size, bytes)
  yield tarHeader({ path: safePath(path), size, modifiedAt })
  let remaining = size
  for await (const chunk of sha256 === null ? sized : checkDigest(sha256, sized)) {
    remaining -= chunk.byteLength
    prefetcher.prefetch(remaining)
    yield chunk
  }
  yield padding(size)
}

/** Merges small chunks: a network write costs the same for 512 bytes as for many more. */
async function* coalesce(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes < CHUNK_BYTES) {
      continue
    }
    yield chunks.length === 1 ? chunk : concat(chunks)
    chunks = []
    bytes = 0
  }
  if (bytes > 0) {
    yield concat(chunks)
  }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = Buffer.concat(chunks)
  chunks.forEach(releaseChunk)
  return whole
}
