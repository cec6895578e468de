import { gzipSync } from 'node:zlib'

import { digestOf } from '#oci/verified_bytes'
import type { BlobSource, Descriptor, ImageStore, StoredManifest } from '#oci/image_store'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES, type Family } from '#oci/media_types'
import { layerEntries, type LayerFile } from '#oci/tar/layer_entries'
import { layerTar } from '#oci/tar/layer_tar'

interface ImageOptions {
  readonly family?: Family
  readonly tag?: string
  readonly files?: Readonly<Record<string, string | Buffer>>
  readonly architecture?: string
  readonly config?: object
  readonly manifest?: object
}

/** Pushes an image with one layer. */
export async function putImage(
  store: ImageStore,
  repository: string,
  options: ImageOptions = {}
): Promise<StoredManifest> {
  const { family = 'oci', architecture = 'amd64' } = options
  const words = MEDIA_TYPES[family]
  const tar = Buffer.concat(
    await Array.fromAsync(layerTar(layerEntries(filesOf(options.files ?? { 'etc/name': 'base' }))))
  )
  const layer = await store.writeBlob(repository, chunksOf(gzipSync(tar)))
  const config = await store.writeBlob(
    repository,
    chunksOf(
      Buffer.from(
        JSON.stringify({
          architecture,
          os: 'linux',
          created: '2020-01-02T03:04:05Z',
          author: 'somebody',
          config: { Env: ['PATH=/bin'], Cmd: ['sh'], Labels: { kept: 'yes' } },
          rootfs: { type: 'layers', diff_ids: [digestOf(tar)] },
          history: [{ created: '2020-01-02T03:04:05Z', created_by: 'ADD' }],
          ...options.config,
        })
      )
    )
  )
  const manifest = storedManifest(words.manifest, {
    schemaVersion: 2,
    mediaType: words.manifest,
    config: { mediaType: words.config, ...config },
    layers: [{ mediaType: words.layer, ...layer }],
    ...options.manifest,
  })
  await store.putManifest(repository, manifest, options.tag)
  return manifest
}

/** Pushes an index with images for two platforms and an attestation. */
export async function putIndex(
  store: ImageStore,
  repository: string,
  tag: string,
  family: Family = 'oci'
): Promise<StoredManifest> {
  const children: Descriptor[] = []
  for (const architecture of ['arm64', 'amd64', 'unknown']) {
    const child = await putImage(store, repository, {
      family,
      architecture,
      files: { 'etc/name': architecture },
    })
    children.push({
      mediaType: child.mediaType,
      digest: child.digest,
      size: child.bytes.length,
      platform: { architecture, os: architecture === 'unknown' ? 'unknown' : 'linux' },
    })
  }
  const mediaType = MEDIA_TYPES[family].index
  const index = storedManifest(mediaType, { schemaVersion: 2, mediaType, manifests: children })
  await store.putManifest(repository, index, tag)
  return index
}

/** Pushes a referrer of an image. */
export async function putStatement(
  store: ImageStore,
  repository: string,
  subject: StoredManifest,
  artifactType: string
): Promise<StoredManifest> {
  const mediaType = MEDIA_TYPES.oci.manifest
  const empty = await store.writeBlob(repository, chunksOf(Buffer.from('{}')))
  const statement = storedManifest(mediaType, {
    schemaVersion: 2,
    mediaType,
    artifactType,
    config: { mediaType: 'application/vnd.oci.empty.v1+json', ...empty },
    layers: [{ mediaType: 'application/vnd.oci.empty.v1+json', ...empty }],
    subject: { mediaType: subject.mediaType, digest: subject.digest, size: subject.bytes.length },
  })
  await store.putManifest(repository, statement)
  return statement
}

export const filesOf = (files: Readonly<Record<string, string | Buffer>>): LayerFile[] =>
  Object.entries(files).map(([path, content]) => {
    const bytes = Buffer.from(content)
    return { path, size: bytes.length, open: () => chunksOf(bytes) }
  })

/** Splits bytes into chunks of an odd size. */
export async function* chunksOf(
  bytes: Uint8Array,
  size = 60_001
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.byteLength; start += size) {
    yield bytes.subarray(start, start + size)
  }
}

export async function bytesOf(source: BlobSource): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source))
}
