import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { countBytes } from '#oci/count_bytes'
import { DigestMismatch, ImageArchiveInvalid } from '#oci/errors'
import { parseConfig } from '#oci/image_config'
import type { BlobSource, Descriptor, StoredManifest } from '#oci/image_store'
import { isObject, storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { gzipBytes } from '#oci/write_layer'
import type { ArchiveFile } from './archive_file.js'
import type { ImageInArchive, ImportOptions, ImportTarget } from './import_options.js'

interface DockerImage extends ImageInArchive {
  readonly config: string
  readonly layers: readonly string[]
}

export function dockerImages(archive: ArchiveFile): DockerImage[] {
  const listed = archive.indexFile('manifest.json')
  if (listed === undefined) {
    return []
  }
  if (!Array.isArray(listed) || !listed.every(isDockerManifestEntry)) {
    throw new ImageArchiveInvalid(
      `The manifest.json of ${archive.path} is not that of a docker archive`
    )
  }
  return listed.map(({ Config, Layers, RepoTags }) => ({
    config: Config,
    layers: Layers,
    names: RepoTags ?? [],
  }))
}

/**
 * Imports an image written by `docker save`. The config is stored unchanged. Layers are compressed and verified against
 * the diff IDs of the config.
 */
export async function importDockerImage(
  archive: ArchiveFile,
  { config, layers }: DockerImage,
  { store, repository }: ImportTarget,
  { signal, onBytes = () => {} }: ImportOptions
): Promise<StoredManifest> {
  const bytes = await archive.readMetadata(fileOf(archive, config))
  const { diffIds } = parseConfig(bytes, config)
  if (diffIds.length !== layers.length) {
    throw new ImageArchiveInvalid(`The layers of ${archive.path} do not match ${config}`)
  }
  const diffIdOf = new Map(layers.map((layer, n) => [fileOf(archive, layer), diffIds[n]!]))
  const types = MEDIA_TYPES.oci
  const stored = new Map<string, Descriptor>()
  await archive.visit(
    diffIdOf.keys(),
    async (name, _size, layer) => {
      const tar = verifyDigest(gunzipIfCompressed(layer), diffIdOf.get(name)!)
      const written = await store.writeBlob(repository, gzipBytes(countBytes(tar, onBytes)))
      stored.set(name, { mediaType: types.layer, ...written })
    },
    signal
  )
  const written = await store.writeBlob(repository, Readable.from([bytes]))
  return storedManifest(types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: { mediaType: types.config, ...written },
    layers: layers.map((layer) => stored.get(fileOf(archive, layer))!),
  })
}

function fileOf(archive: ArchiveFile, name: string): string {
  const actual = archive.find(name)
  if (!actual) {
    throw new ImageArchiveInvalid(`${archive.path} has no ${JSON.stringify(name.slice(0, 200))}`)
  }
  return actual.name
}

/** Some tools compress the layers of a docker archive. */
async function* gunzipIfCompressed(
  source: BlobSource
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = source[Symbol.asyncIterator]()
  const { done, value: first } = await chunks.next()
  if (done) {
    return
  }
  const all = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    yield first
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* all()
    return
  }
  const gunzip = createGunzip()
  pipeline(Readable.from(all(), { objectMode: false }), gunzip, () => {})
  yield* gunzip as AsyncIterable<Buffer>
}

async function* verifyDigest(
  source: BlobSource,
  digest: string
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256')
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
  const actual = `sha256:${hash.digest('hex')}`
  if (actual !== digest) {
    throw new DigestMismatch(`Layer digest mismatch: expected ${digest}, got ${actual}`)
  }
}

interface DockerManifestEntry {
  readonly Config: string
  readonly Layers: readonly string[]
  readonly RepoTags?: readonly string[] | null
}

const isDockerManifestEntry = (value: unknown): value is DockerManifestEntry =>
  isObject(value) &&
  typeof value.Config === 'string' &&
  Array.isArray(value.Layers) &&
  value.Layers.every((layer) => typeof layer === 'string')
