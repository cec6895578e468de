import { createHash } from 'node:crypto'
import { Readable, pipeline, type Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'

import { isImageFailure } from '#oci/errors'
import type { BlobSource } from '#oci/image_store'
import { isForeignType } from '#oci/media_types'
import { ImageRejected } from '#node/errors'

const CHUNK_BYTES = 256 * 1024

interface Compression {
  readonly mediaType: RegExp
  readonly decompressor?: () => Transform
}

const COMPRESSIONS: readonly Compression[] = [
  { mediaType: /\btar[+.]gzip$/, decompressor: () => createGunzip({ chunkSize: CHUNK_BYTES }) },
  {
    mediaType: /\btar[+.]zstd$/,
    decompressor: () => createZstdDecompress({ chunkSize: CHUNK_BYTES }),
  },
  { mediaType: /\btar$/ },
]

/** The tar of a layer. Fails at its end if it does not have the digest that the image's config states. */
export async function* layerContent(
  source: BlobSource,
  mediaType: string,
  diffId: string
): AsyncGenerator<Uint8Array, void, undefined> {
  const compression = COMPRESSIONS.find((one) => one.mediaType.test(mediaType))
  if (!compression || isForeignType(mediaType)) {
    throw new ImageRejected(`Layers of the type ${JSON.stringify(mediaType)} are not supported`)
  }
  const { decompressor } = compression
  const hash = createHash('sha256')
  for await (const chunk of decompressor ? decompressed(source, decompressor()) : source) {
    hash.update(chunk)
    yield chunk
  }
  const actual = `sha256:${hash.digest('hex')}`
  if (actual !== diffId) {
    throw new ImageRejected(`A layer contains ${actual}, but the image states ${diffId}`)
  }
}

async function* decompressed(
  source: BlobSource,
  decompressor: Transform
): AsyncGenerator<Uint8Array, void, undefined> {
  const input = Readable.from(source)
  pipeline(input, decompressor, () => {})
  try {
    yield* decompressor as AsyncIterable<Uint8Array>
  } catch (error) {
    // The decompressor also reports failures of the source.
    const isOfSource = input.errored !== null || isImageFailure(error)
    throw isOfSource ? error : new ImageRejected('A layer is damaged or truncated', error)
  }
}
