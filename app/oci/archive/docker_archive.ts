import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { counted } from '#oci/counted'
import { DigestMismatch, ImageArchiveInvalid } from '#oci/errors'
import { parseConfig } from '#oci/image_config'
import type { BlobSource, Descriptor, StoredManifest } from '#oci/image_store'
import { isObject, storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { gzipped } from '#oci/write_layer'
import type { ArchiveFile } from './archive_file.js'
import type { ImageInArchive, ImportOptions, Importing } from './importing.js'

interface DockerImage extends ImageInArchive {
  readonly config: string
  readonly layers: readonly string[]
}

export function dockerImages(archive: ArchiveFile): DockerImage[] {
  const listed = archive.contents('manifest.json')
  if (listed === undefined) {
    return []
  }
  if (!Array.isArray(listed) || !listed.every(isListed)) {
    throw new ImageArchiveInvalid(`${archive.path} has a manifest.json that docker did not write`)
  }
  return listed.map(({ Config, Layers, RepoTags }) => ({
    config: Config,
    layers: Layers,
    names: RepoTags ?? [],
  }))
}

/**
 * Stores an image that docker saved. Its config stays as it is; its layers, which are there without compression, are compressed,
 * and compared with the digests that the config has of them.
 */
export async function importDockerImage(
  archive: ArchiveFile,
  { config, layers }: DockerImage,
  { store, repository }: Importing,
  { signal, onBytes = () => {} }: ImportOptions
): Promise<StoredManifest> {
  const bytes = await archive.description(fileOf(archive, config))
  const { diffIds } = parseConfig(bytes, config)
  if (diffIds.length !== layers.length) {
    throw new ImageArchiveInvalid(`${archive.path} has other layers than ${config} says`)
  }
  const diffIdOf = new Map(layers.map((layer, n) => [fileOf(archive, layer), diffIds[n]!]))
  const words = MEDIA_TYPES.oci
  const stored = new Map<string, Descriptor>()
  await archive.visit(
    diffIdOf.keys(),
    async (name, _size, layer) => {
      const tar = requireDigest(uncompressed(layer), diffIdOf.get(name)!)
      const written = await store.writeBlob(repository, gzipped(counted(tar, onBytes)))
      stored.set(name, { mediaType: words.layer, ...written })
    },
    signal
  )
  const written = await store.writeBlob(repository, Readable.from([bytes]))
  return storedManifest(words.manifest, {
    schemaVersion: 2,
    mediaType: words.manifest,
    config: { mediaType: words.config, ...written },
    layers: layers.map((layer) => stored.get(fileOf(archive, layer))!),
  })
}

function fileOf(archive: ArchiveFile, name: string): string {
  const found = archive.find(name)
  if (!found) {
    throw new ImageArchiveInvalid(`${archive.path} has no ${JSON.stringify(name.slice(0, 200))}`)
  }
  return found.name
}

/** Some programs compress layers here, too. */
async function* uncompressed(source: BlobSource): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = source[Symbol.asyncIterator]()
  const { done, value: first } = await pieces.next()
  if (done) {
    return
  }
  const whole = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    yield first
    yield* { [Symbol.asyncIterator]: () => pieces }
  }
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* whole()
    return
  }
  const gunzip = createGunzip()
  pipeline(Readable.from(whole(), { objectMode: false }), gunzip, () => {})
  yield* gunzip as AsyncIterable<Buffer>
}

async function* requireDigest(
  source: BlobSource,
  digest: string
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256')
  for await (const piece of source) {
    hash.update(piece)
    yield piece
  }
  const found = `sha256:${hash.digest('hex')}`
  if (found !== digest) {
    throw new DigestMismatch(`A layer that should be ${digest} is ${found}`)
  }
}

interface Listed {
  readonly Config: string
  readonly Layers: readonly string[]
  readonly RepoTags?: readonly string[] | null
}

const isListed = (said: unknown): said is Listed =>
  isObject(said) &&
  typeof said.Config === 'string' &&
  Array.isArray(said.Layers) &&
  said.Layers.every((layer) => typeof layer === 'string')
