import { Readable } from 'node:stream'

import type { ImageRepository } from '#oci/copy_blob'
import { countBytes } from '#oci/count_bytes'
import { ImageArchiveInvalid, PlatformMissing } from '#oci/errors'
import type { BlobSource, StoredManifest } from '#oci/image_store'
import { writeAtomically } from '#oci/folder/write_atomically'
import { blobPath } from '#oci/layout_paths'
import { blobsOf, manifestsOf } from '#oci/manifests_of'
import { MEDIA_TYPES } from '#oci/media_types'
import { platformImage, requireManifest } from '#oci/platform_image'
import type { LayerEntry, LayerFile } from '#oci/tar/layer_entries'
import { layerTar } from '#oci/tar/layer_tar'
import { gzipBytes } from '#oci/write_layer'

export interface ExportOptions {
  /** The image name that `docker load` assigns. */
  readonly name: string
  readonly signal?: AbortSignal
  readonly onBytes?: (bytes: number) => void
}

const COMPRESSED = /\.(tgz|tar\.gz)$/

/**
 * Writes an image as an OCI layout archive that `docker load` can read too. The file appears under its name only when
 * complete, and the same image always gives the same bytes.
 */
export async function exportArchive(
  from: ImageRepository & { readonly reference: string },
  path: string,
  options: ExportOptions
): Promise<StoredManifest> {
  const root = await requireManifest(from.store, from.repository, from.reference)
  const tar = layerTar(await entriesOf(from, root, options))
  const bytes = COMPRESSED.test(path) ? gzipBytes(tar) : tar
  const draft = `${path}.part`
  await writeAtomically(draft, abortable(bytes, options.signal), () => path).catch((error) => {
    throw toArchiveError(error, path, draft)
  })
  return root
}

async function entriesOf(
  from: ImageRepository,
  root: StoredManifest,
  options: ExportOptions
): Promise<LayerEntry[]> {
  const manifests = await Array.fromAsync(manifestsOf(from, root))
  const files = new Map<string, LayerFile>()
  for (const { digest, bytes } of manifests) {
    files.set(digest, fileOf(blobPath(digest), bytes))
  }
  for (const blob of manifests.flatMap(blobsOf)) {
    files.set(blob.digest, {
      path: blobPath(blob.digest),
      size: blob.size,
      open: () =>
        countBytes(from.store.readBlob(from.repository, blob), (bytes) => options.onBytes?.(bytes)),
    })
  }
  const blobs = [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
  return [
    { path: 'blobs', isFolder: true },
    { path: 'blobs/sha256', isFolder: true },
    ...blobs,
    json('index.json', indexOf(root, options.name)),
    json('manifest.json', await dockerList(from, root, options.name)),
    json('oci-layout', { imageLayoutVersion: '1.0.0' }),
  ]
}

function indexOf({ mediaType, digest, bytes }: StoredManifest, name: string): object {
  const tag = name.slice(name.lastIndexOf(':') + 1)
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': tag,
  }
  const entry = { mediaType, digest, size: bytes.length, annotations }
  return { schemaVersion: 2, mediaType: MEDIA_TYPES.oci.index, manifests: [entry] }
}

/** The `manifest.json` that docker reads: the image of the default platform. */
async function dockerList(
  from: ImageRepository,
  root: StoredManifest,
  name: string
): Promise<object[]> {
  const image = await platformImage(from.store, from.repository, root.digest).catch(
    ignoreMissingPlatform
  )
  if (!image) {
    return []
  }
  const { manifest } = image
  return [
    {
      Config: blobPath(manifest.config.digest),
      RepoTags: [name],
      Layers: manifest.layers.map(({ digest }) => blobPath(digest)),
    },
  ]
}

const json = (path: string, content: object): LayerFile =>
  fileOf(path, Buffer.from(JSON.stringify(content)))

const fileOf = (path: string, bytes: Buffer): LayerFile => ({
  path,
  size: bytes.length,
  open: (): BlobSource => Readable.from([bytes]),
})

/** Exports images without the default platform too; docker cannot load those. */
function ignoreMissingPlatform(error: unknown): undefined {
  if (!(error instanceof PlatformMissing)) {
    throw error
  }
}

async function* abortable(
  source: BlobSource,
  signal: AbortSignal | undefined
): AsyncGenerator<Uint8Array, void, undefined> {
  signal?.throwIfAborted()
  for await (const chunk of source) {
    signal?.throwIfAborted()
    yield chunk
  }
}

function toArchiveError(error: NodeJS.ErrnoException, path: string, draft: string): Error {
  const { code, syscall } = error
  if (code === 'EEXIST') {
    return new ImageArchiveInvalid(
      `${draft} already exists; remove it if no export is running`,
      error
    )
  }
  const isFileError = syscall !== undefined && error.path !== undefined
  return isFileError ? new ImageArchiveInvalid(`${path} cannot be written: ${code}`, error) : error
}
