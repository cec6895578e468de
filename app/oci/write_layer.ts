import { createHash, type Hash } from 'node:crypto'
import { createGzip, type Gzip } from 'node:zlib'

import { spend } from '#kernel/passing_bytes'
import { requireSame } from './checked_bytes.js'
import type { BlobAddress, BlobSource, ImageStore } from './image_store.js'
import type { LayerEntry } from '#oci/tar/layer_entries'
import { layerTar } from '#oci/tar/layer_tar'

/** Compression is most of the work, and more of it saves little. */
const GZIP = { level: 1, chunkSize: 256 * 1024 }

/** Where a gzip header names the system that it was made on, and what stands there for none. */
const SYSTEM = { at: 9, unknown: 255 }

export interface WrittenLayer extends BlobAddress {
  /** The digest of the tar itself, which the config names. */
  readonly diffId: string
}

interface WriteLayerOptions {
  /** Is told of bytes of the tar as they are made, and of a number below zero where the layer is begun anew. */
  readonly onBytes?: (bytes: number) => void
}

/** What is written now. */
export interface LayerUnderWay {
  /** What it is, as soon as its files were read. */
  readonly known: Promise<WrittenLayer>
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
  return beginLayer(store, repository, entries, options).written
}

/** The same, for whoever can go on before the store has all of it. */
export function beginLayer(
  store: ImageStore,
  repository: string,
  entries: readonly LayerEntry[],
  { onBytes }: WriteLayerOptions = {}
): LayerUnderWay {
  const known = Promise.withResolvers<WrittenLayer>()
  let tarDigest = createHash('sha256')
  let told = 0
  const begin = (): BlobSource => {
    onBytes?.(-told)
    told = 0
    tarDigest = createHash('sha256')
    return gzipped(
      hashed(layerTar(entries), tarDigest, (bytes) => {
        told += bytes
        onBytes?.(bytes)
      })
    )
  }
  const onRead = ({ digest, size }: BlobAddress) =>
    known.resolve({ digest, size, diffId: `sha256:${tarDigest.digest('hex')}` })
  const written = store.writeBlob(repository, begin, { onRead }).then(async (blob) => {
    const layer = await known.promise
    requireSame(layer, blob)
    return layer
  })
  written.catch(known.reject)
  known.promise.catch(() => {})
  return { known: known.promise, written }
}

async function* hashed(
  source: BlobSource,
  hash: Hash,
  onBytes: (bytes: number) => void
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of source) {
    hash.update(piece)
    onBytes(piece.byteLength)
    yield piece
  }
}

/** The same bytes on every system; a source that fails, fails this. */
export async function* gzipped(source: BlobSource): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip(GZIP)
  const compressing = compressed(source, gzip)
  compressing.catch((error) => gzip.destroy(error))
  try {
    let isFirst = true
    for await (const piece of gzip as AsyncIterable<Buffer>) {
      if (isFirst) {
        piece[SYSTEM.at] = SYSTEM.unknown
        isFirst = false
      }
      yield piece
    }
    await compressing
  } finally {
    gzip.destroy()
  }
}

/** Has the next piece made while one is compressed. */
async function compressed(source: BlobSource, gzip: Gzip): Promise<void> {
  let last: Promise<void> = Promise.resolve()
  for await (const piece of source) {
    await last
    last = write(gzip, piece)
    last.catch(() => {})
  }
  await last
  gzip.end()
}

/** Of one that is closed nobody is told that it will not be. */
function write(gzip: Gzip, piece: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  gzip.once('close', reject)
  gzip.write(piece, (error) => {
    gzip.off('close', reject)
    if (error) {
      reject(error)
    } else {
      spend(piece)
      resolve()
    }
  })
  return promise
}
