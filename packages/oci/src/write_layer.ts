import { createHash, type Hash } from 'node:crypto'
import { createGzip, type Gzip } from 'node:zlib'

import { releaseChunk } from '#kernel/chunk_memory'
import { requireSame } from './verified_bytes.js'
import type { BlobAddress, BlobSource, ImageStore } from './image_store.js'
import type { LayerEntry } from '#oci/tar/layer_entries'
import { layerTar } from '#oci/tar/layer_tar'

/** Compression dominates the build time, and higher levels save little. */
const GZIP = { level: 1, chunkSize: 256 * 1024 }

/** The byte of the gzip header that names the operating system. */
const OS_BYTE = { at: 9, unknown: 255 }

export interface WrittenLayer extends BlobAddress {
  /** The digest of the uncompressed tar, which the config references. */
  readonly diffId: string
}

interface WriteLayerOptions {
  /** Called with the bytes of the tar. Negative if the layer restarts. */
  readonly onBytes?: (bytes: number) => void
}

/** A layer that is still being written. */
export interface PendingLayer {
  /** Resolves when all files were read. */
  readonly descriptor: Promise<WrittenLayer>
  /** Resolves when the store has the layer. */
  readonly written: Promise<WrittenLayer>
}

/** Streams files into a layer without buffering it in memory or on disk. */
export function writeLayer(
  store: ImageStore,
  repository: string,
  entries: readonly LayerEntry[],
  options?: WriteLayerOptions
): Promise<WrittenLayer> {
  return startLayer(store, repository, entries, options).written
}

/** Like `writeLayer`, but returns before the store has the layer. */
export function startLayer(
  store: ImageStore,
  repository: string,
  entries: readonly LayerEntry[],
  { onBytes }: WriteLayerOptions = {}
): PendingLayer {
  const descriptor = Promise.withResolvers<WrittenLayer>()
  let tarDigest = createHash('sha256')
  let reported = 0
  const open = (): BlobSource => {
    onBytes?.(-reported)
    reported = 0
    tarDigest = createHash('sha256')
    return gzipBytes(
      hashed(layerTar(entries), tarDigest, (bytes) => {
        reported += bytes
        onBytes?.(bytes)
      })
    )
  }
  const onRead = ({ digest, size }: BlobAddress) =>
    descriptor.resolve({ digest, size, diffId: `sha256:${tarDigest.digest('hex')}` })
  const written = store.writeBlob(repository, open, { onRead }).then(async (blob) => {
    const layer = await descriptor.promise
    requireSame(layer, blob)
    return layer
  })
  written.catch(descriptor.reject)
  descriptor.promise.catch(() => {})
  return { descriptor: descriptor.promise, written }
}

async function* hashed(
  source: BlobSource,
  hash: Hash,
  onBytes: (bytes: number) => void
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of source) {
    hash.update(chunk)
    onBytes(chunk.byteLength)
    yield chunk
  }
}

/** Compresses deterministically on every platform. Fails if the source fails. */
export async function* gzipBytes(source: BlobSource): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip(GZIP)
  const compression = compressInto(source, gzip)
  compression.catch((error) => gzip.destroy(error))
  try {
    let isFirst = true
    for await (const chunk of gzip as AsyncIterable<Buffer>) {
      if (isFirst) {
        chunk[OS_BYTE.at] = OS_BYTE.unknown
        isFirst = false
      }
      yield chunk
    }
    await compression
  } finally {
    gzip.destroy()
  }
}

/** Requests the next chunk while the current one is compressed. */
async function compressInto(source: BlobSource, gzip: Gzip): Promise<void> {
  let last: Promise<void> = Promise.resolve()
  for await (const chunk of source) {
    await last
    last = write(gzip, chunk)
    last.catch(() => {})
  }
  await last
  gzip.end()
}

/** The callback of a closed stream is not called, so `close` rejects. */
function write(gzip: Gzip, chunk: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  gzip.once('close', reject)
  gzip.write(chunk, (error) => {
    gzip.off('close', reject)
    if (error) {
      reject(error)
    } else {
      releaseChunk(chunk)
      resolve()
    }
  })
  return promise
}
