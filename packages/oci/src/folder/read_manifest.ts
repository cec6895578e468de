import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { digestOf, requireSame } from '#oci/verified_bytes'
import { BlobMissing, ManifestInvalid } from '#oci/errors'
import { MAX_MANIFEST_BYTES, type Descriptor, type StoredManifest } from '#oci/image_store'
import { blobPath } from '#oci/layout_paths'
import { manifestFromBytes } from '#oci/manifest'

/** Reads a manifest of a layout and verifies its digest. */
export async function readManifest(
  folder: string,
  repository: string,
  { digest, mediaType }: Descriptor
): Promise<StoredManifest> {
  const path = join(folder, blobPath(digest))
  const { size } = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BlobMissing(repository, digest, error) : error
  })
  if (size > MAX_MANIFEST_BYTES) {
    throw new ManifestInvalid(`Manifest ${digest} is too large`)
  }
  const bytes = await readFile(path)
  requireSame({ digest }, { digest: digestOf(bytes), size: bytes.length })
  return manifestFromBytes(bytes, mediaType)
}
