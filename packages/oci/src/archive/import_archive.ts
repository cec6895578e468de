import { ImageArchiveInvalid } from '#oci/errors'
import type { StoredManifest } from '#oci/image_store'
import { ArchiveFile } from './archive_file.js'
import type { ImageInArchive, ImportOptions, ImportTarget } from './import_options.js'
import { dockerImages, importDockerImage } from './docker_archive.js'
import { importLayoutImage, layoutImages } from './layout_archive.js'

/**
 * Imports an image from an archive written by `docker save`, `skopeo` or `image export`. Nothing is unpacked, all
 * digests are verified, and the tag is set last.
 */
export async function importArchive(
  path: string,
  to: ImportTarget,
  options: ImportOptions = {}
): Promise<StoredManifest> {
  const archive = await ArchiveFile.open(path, options.signal)
  const isLayout = archive.indexFile('oci-layout') !== undefined
  const stored = isLayout
    ? await importLayoutImage(
        archive,
        chooseImage(path, layoutImages(archive), options),
        to,
        options
      )
    : await importDockerImage(
        archive,
        chooseImage(path, dockerImages(archive), options),
        to,
        options
      )
  await to.store.putManifest(to.repository, stored, to.tag)
  return stored
}

/** The requested image, or the only one in the archive. */
function chooseImage<T extends ImageInArchive>(
  path: string,
  images: readonly T[],
  { image }: ImportOptions
): T {
  const matching = images.filter(({ names }) => image === undefined || names.includes(image))
  const [first] = matching
  if (first && matching.length === 1) {
    return first
  }
  const names = images.flatMap((one) => one.names).join(', ')
  throw new ImageArchiveInvalid(
    images.length === 0
      ? `${path} contains no image: use an archive of docker save, or an OCI archive`
      : matching.length === 0
        ? `${path} has no image ${image}; it contains ${names || 'an image without a name'}`
        : `${path} contains several images, choose one: ${names || 'they have no names, export one alone'}`
  )
}
