import { Readable } from 'node:stream'

import { checkDigest } from '#storage/objects/check_digest'
import { checkSize } from '#storage/objects/check_size'
import { harmlessPath } from '#storage/bucket_files/paths'
import { releaseChunk } from '#kernel/chunk_memory'
import { padding, tarEnd, tarHeader } from '#kernel/tar_header'
import { laidOut } from './laid_out.js'
import { OpenedAhead } from './opened_ahead.js'
import type { TarEntry, TarRun } from './tar_entry.js'

/** A file that was recorded without its size cannot be announced in a tar. */
export class SizeUnknown extends Error {
  static readonly code = 'E_SIZE_UNKNOWN'
  readonly code = SizeUnknown.code

  constructor(path: string) {
    super(`The size of ${JSON.stringify(path)} was never recorded, so it cannot be put into a tar`)
  }
}

const CHUNK_BYTES = 64 * 1024

/**
 * A tar of files in the order they are given in, made while it is read. It breaks where an object is missing or has
 * another size or digest than its record says: a tar that ends in good order has everything in it, as it was stored.
 */
export function tarStream(entries: AsyncIterable<TarEntry | TarRun>): Readable {
  return Readable.from(gathered(pieces(entries)), { objectMode: false })
}

async function* pieces(entries: AsyncIterable<TarEntry | TarRun>): AsyncGenerator<Uint8Array> {
  const ahead = new OpenedAhead(entries)
  try {
    for (let next = await ahead.next(); next; next = await ahead.next()) {
      if ('run' in next) {
        const bytes = laidOut(next.run.files, await next.contents)
        ahead.openWhileFlows(0)
        yield bytes
      } else {
        yield* piecesOf(next.entry, await next.bytes, ahead)
      }
    }
    yield tarEnd()
  } finally {
    await ahead.close()
  }
}

async function* piecesOf(
  { path, size, sha256, modifiedAt }: TarEntry,
  bytes: Readable,
  ahead: OpenedAhead
): AsyncGenerator<Uint8Array> {
  if (size === null) {
    throw new SizeUnknown(path)
  }
  const sized = checkSize(size, bytes)
  yield tarHeader({ path: harmlessPath(path), size, modifiedAt })
  let left = size
  for await (const chunk of sha256 === null ? sized : checkDigest(sha256, sized)) {
    left -= chunk.byteLength
    ahead.openWhileFlows(left)
    yield chunk
  }
  yield padding(size)
}

/** Puts small pieces together: a write to the network costs the same for 512 bytes as for many more. */
async function* gathered(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let small: Uint8Array[] = []
  let bytes = 0
  for await (const piece of source) {
    small.push(piece)
    bytes += piece.byteLength
    if (bytes < CHUNK_BYTES) {
      continue
    }
    yield small.length === 1 ? piece : inOne(small)
    small = []
    bytes = 0
  }
  if (bytes > 0) {
    yield inOne(small)
  }
}

function inOne(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = Buffer.concat(chunks)
  chunks.forEach(releaseChunk)
  return whole
}
