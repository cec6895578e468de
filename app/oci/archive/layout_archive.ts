import { ImageArchiveInvalid } from '#oci/errors'
import { isDigest } from '#oci/image_names'
import type { Descriptor, StoredManifest } from '#oci/image_store'
import { isObject, manifestFound, parseManifest } from '#oci/manifest'
import { blobPath } from '#oci/layout_paths'
import { blobsOf } from '#oci/manifests_of'
import { counted } from '#oci/counted'
import type { ArchiveFile } from './archive_file.js'
import type { ImageInArchive, ImportOptions, Importing } from './importing.js'

const NAMES = ['org.opencontainers.image.ref.name', 'io.containerd.image.name']
const DEEPEST = 3

interface LayoutImage extends ImageInArchive {
  readonly descriptor: Descriptor
}

export function layoutImages(archive: ArchiveFile): LayoutImage[] {
  const index = archive.contents('index.json')
  const manifests = isObject(index) ? index.manifests : undefined
  if (!Array.isArray(manifests)) {
    throw new ImageArchiveInvalid(`${archive.path} is an OCI archive without an index`)
  }
  return manifests.filter(isDescriptor).map((descriptor) => ({
    descriptor,
    names: NAMES.flatMap((name) => descriptor.annotations?.[name] ?? []),
  }))
}

/** Stores an image of a layout with the bytes it has there, and so under the same digest. */
export async function importLayoutImage(
  archive: ArchiveFile,
  { descriptor }: LayoutImage,
  { store, repository }: Importing,
  { signal, onBytes = () => {} }: ImportOptions
): Promise<StoredManifest> {
  const manifests = await withChildren(archive, descriptor, 0)
  const blobs = new Map(manifests.flatMap(blobsOf).map((blob) => [blobPath(blob.digest), blob]))
  await archive.visit(
    blobs.keys(),
    async (name, _size, bytes) => {
      await store.writeBlob(repository, counted(bytes, onBytes), blobs.get(name))
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
 * A manifest and those that it names, which come first. An index that was saved for one machine alone names images that are not
 * there: then the one that is there is the image.
 */
async function withChildren(
  archive: ArchiveFile,
  { digest, mediaType }: Descriptor,
  depth: number
): Promise<StoredManifest[]> {
  const found = manifestFound(await archive.description(blobPath(digest)), mediaType)
  if (found.digest !== digest || depth >= DEEPEST) {
    throw new ImageArchiveInvalid(`${archive.path} has something else for ${digest}`)
  }
  const parsed = parseManifest(found)
  if (parsed.kind === 'image') {
    return [found]
  }
  const present = parsed.manifests.filter((child) => archive.find(blobPath(child.digest)))
  const children: StoredManifest[][] = []
  for (const child of present) {
    children.push(await withChildren(archive, child, depth + 1))
  }
  const whole = children.filter((child) =>
    child.flatMap(blobsOf).every((blob) => archive.find(blobPath(blob.digest)))
  )
  if (whole.length === parsed.manifests.length) {
    return [...children.flat(), found]
  }
  const images = whole.filter((child) => !isStatement(parsed.manifests, child.at(-1)!.digest))
  if (images.length !== 1) {
    throw new ImageArchiveInvalid(
      `${archive.path} has ${images.length} of the ${parsed.manifests.length} images that ${digest} names`
    )
  }
  return images[0]!
}

const isStatement = (manifests: readonly Descriptor[], digest: string): boolean =>
  manifests.find((one) => one.digest === digest)?.platform?.os === 'unknown'

const isDescriptor = (said: unknown): said is Descriptor => isObject(said) && isDigest(said.digest)
