import { ImageArchiveInvalid } from '#oci/errors'
import { isDigest } from '#oci/image_names'
import type { Descriptor, StoredManifest } from '#oci/image_store'
import { isObject, manifestFromBytes, parseManifest } from '#oci/manifest'
import { blobPath } from '#oci/layout_paths'
import { blobsOf } from '#oci/manifests_of'
import { countBytes } from '#oci/count_bytes'
import type { ArchiveFile } from './archive_file.js'
import type { ImageInArchive, ImportOptions, ImportTarget } from './import_options.js'

const NAME_ANNOTATIONS = ['org.opencontainers.image.ref.name', 'io.containerd.image.name']
const MAX_DEPTH = 3

interface LayoutImage extends ImageInArchive {
  readonly descriptor: Descriptor
}

export function layoutImages(archive: ArchiveFile): LayoutImage[] {
  const index = archive.indexFile('index.json')
  const manifests = isObject(index) ? index.manifests : undefined
  if (!Array.isArray(manifests)) {
    throw new ImageArchiveInvalid(`${archive.path} is an OCI archive without an index`)
  }
  return manifests.filter(isDescriptor).map((descriptor) => ({
    descriptor,
    names: NAME_ANNOTATIONS.flatMap((name) => descriptor.annotations?.[name] ?? []),
  }))
}

/** Stores an image of an OCI layout unchanged, so that it keeps its digest. */
export async function importLayoutImage(
  archive: ArchiveFile,
  { descriptor }: LayoutImage,
  { store, repository }: ImportTarget,
  { signal, onBytes = () => {} }: ImportOptions
): Promise<StoredManifest> {
  const manifests = await withChildren(archive, descriptor, 0)
  const blobs = new Map(manifests.flatMap(blobsOf).map((blob) => [blobPath(blob.digest), blob]))
  await archive.visit(
    blobs.keys(),
    async (name, _size, bytes) => {
      await store.writeBlob(repository, countBytes(bytes, onBytes), blobs.get(name))
    },
    signal
  )
  const root = manifests.at(-1)!
  for (const child of manifests.slice(0, -1)) {
    await store.putManifest(repository, child)
  }
  return root
}

/**
 * Returns a manifest after the manifests it references. An index that was saved for a single platform references
 * missing images; the one present is returned instead.
 */
async function withChildren(
  archive: ArchiveFile,
  { digest, mediaType }: Descriptor,
  depth: number
): Promise<StoredManifest[]> {
  const manifest = manifestFromBytes(await archive.readMetadata(blobPath(digest)), mediaType)
  if (manifest.digest !== digest || depth >= MAX_DEPTH) {
    throw new ImageArchiveInvalid(`The content of ${digest} in ${archive.path} does not match`)
  }
  const parsed = parseManifest(manifest)
  if (parsed.kind === 'image') {
    return [manifest]
  }
  const present = parsed.manifests.filter((child) => archive.find(blobPath(child.digest)))
  const children: StoredManifest[][] = []
  for (const child of present) {
    children.push(await withChildren(archive, child, depth + 1))
  }
  const complete = children.filter((child) =>
    child.flatMap(blobsOf).every((blob) => archive.find(blobPath(blob.digest)))
  )
  if (complete.length === parsed.manifests.length) {
    return [...children.flat(), manifest]
  }
  const images = complete.filter((child) => !isAttestation(parsed.manifests, child.at(-1)!.digest))
  if (images.length !== 1) {
    throw new ImageArchiveInvalid(
      `${archive.path} contains ${images.length} of the ${parsed.manifests.length} images in ${digest}`
    )
  }
  return images[0]!
}

const isAttestation = (manifests: readonly Descriptor[], digest: string): boolean =>
  manifests.find((one) => one.digest === digest)?.platform?.os === 'unknown'

const isDescriptor = (value: unknown): value is Descriptor =>
  isObject(value) && isDigest(value.digest)
