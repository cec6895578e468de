import { createHash, type Hash } from 'node:crypto'
import { createGzip, type Gzip } from 'node:zlib'

import { releaseChunk } from '#kernel/chunk_memory'
import { requireSame } from './verified_bytes.js'
import type { BlobAddress, BlobSource, ImageStore } from './image_store.js'
import type { LayerEntry } from '#oci/tar/layer_entries'
import { layerTar } from '#oci/tar/layer_tar'

/** Compression is most of the work, and more of it saves little. */
const GZIP = { level: 1, chunkSize: 256 * 1024 }

/** Where a gzip header names the system that it was made on, and what stands there for none. */
const OS_BYTE = { at: 9, unknown: 255 }

export interface WrittenLayer extends BlobAddress {
  /** The digest of the tar itself, which the config names. */
  readonly diffId: string
}

interface WriteLayerOptions {
  /** Is told of bytes of the tar as they are made, and of a number below zero where the layer is begun anew. */
  readonly onBytes?: (bytes: number) => void
}

/** What is written now. */
export interface PendingLayer {
  /** What it is, as soon as its files were read. */
  readonly descriptor: Promise<WrittenLayer>
  /** When the store has it. */
  readonly written: Promise<WrittenLayer>
}

/** Writes a layer while its files are read: nothing of it is kept, here or on a disk. */
export function writeLayer(
  store: ImageStore,
  repository: string,
  entries: readonly LayerEntry[],
  options?: WriteLayerOptions
): Promise<WrittenLayer> {
  return startLayer(store, repository, entries, options).written
}

/** The same, for whoever can go on before the store has all of it. */
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

/** The same bytes on every system; a source that fails, fails this. */
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

/** Has the next piece made while one is compressed. */
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

/** Of one that is closed nobody is told that it will not be. */
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
