import { copyBlob, type ImageRepository } from './copy_blob.js'
import { inParallel } from '#kernel/in_parallel'
import type { StoredManifest } from './image_store.js'
import { blobsOf, manifestsOf, requireDepth } from './manifests_of.js'
import { requireManifest } from './platform_image.js'

const BLOBS_AT_ONCE = 3

export interface CopyOptions {
  /** The tag it has there; without one it is known by its digest. */
  readonly tag?: string
  /** Whether what is said about the image goes along: signatures, provenance. */
  readonly withReferrers?: boolean
  readonly blobsAtOnce?: number
  /** Is asked when all parts are there and the image itself is not yet; what it throws is why it will not be. */
  readonly beforeManifest?: () => Promise<void>
  /** Is told of bytes as they are there, of those that need not be moved as well; of a number below zero where some are sent again. */
  readonly onBytes?: (bytes: number) => void
}

/**
 * Has an image, or an index with all images in it, be in another repository under the same digest: what stands in its manifest
 * is not touched. The tag comes last, so that it never names what is not there as a whole.
 */
export async function copyImage(
  from: ImageRepository & { readonly reference: string },
  to: ImageRepository,
  options: CopyOptions = {}
): Promise<StoredManifest> {
  const root = await requireManifest(from.store, from.repository, from.reference)
  await copyManifest(from, to, root, options)
  return root
}

/** As `copyImage`, for one whose manifest was read before. */
export async function copyManifest(
  from: ImageRepository,
  to: ImageRepository,
  root: StoredManifest,
  options: CopyOptions = {}
): Promise<void> {
  await copyContents(from, to, root, options, 0)
  await options.beforeManifest?.()
  await to.store.putManifest(to.repository, root, options.tag)
  if (options.withReferrers) {
    await copyReferrers(from, to, root.digest, options, 0)
  }
}

/** The bytes of all that belongs to an image, each counted once. */
export async function bytesOfImage(
  from: ImageRepository & { readonly reference: string }
): Promise<number> {
  const root = await requireManifest(from.store, from.repository, from.reference)
  const blobs = new Map<string, number>()
  for await (const manifest of manifestsOf(from, root)) {
    for (const { digest, size } of blobsOf(manifest)) {
      blobs.set(digest, size)
    }
  }
  return blobs.values().reduce((sum, size) => sum + size, 0)
}

async function copyContents(
  from: ImageRepository,
  to: ImageRepository,
  root: StoredManifest,
  options: CopyOptions,
  depth: number
): Promise<void> {
  const manifests = await Array.fromAsync(manifestsOf(from, root, depth))
  const blobs = new Map(manifests.flatMap(blobsOf).map((blob) => [blob.digest, blob]))
  await inParallel(blobs.values(), options.blobsAtOnce ?? BLOBS_AT_ONCE, (blob) =>
    copyBlob(from, to, blob, options.onBytes)
  )
  for (const child of manifests.filter((manifest) => manifest !== root)) {
    await to.store.putManifest(to.repository, child)
  }
}

async function copyReferrers(
  from: ImageRepository,
  to: ImageRepository,
  digest: string,
  options: CopyOptions,
  depth: number
): Promise<void> {
  requireDepth(depth, digest)
  for (const referrer of await from.store.referrers(from.repository, digest)) {
    const stored = await requireManifest(from.store, from.repository, referrer.digest)
    await copyContents(from, to, stored, { ...options, onBytes: undefined }, depth)
    await to.store.putManifest(to.repository, stored)
    await copyReferrers(from, to, referrer.digest, options, depth + 1)
  }
}
