import { copyBlob, type ImageRepository } from './copy_blob.js'
import { inParallel } from '#kernel/in_parallel'
import type { StoredManifest } from './image_store.js'
import { blobsOf, manifestsOf, requireDepth } from './manifests_of.js'
import { requireManifest } from './platform_image.js'

const BLOBS_AT_ONCE = 3

export interface CopyOptions {
  /** Tag at the target. Without it, the image is known by its digest only. */
  readonly tag?: string
  /** Whether to copy signatures and provenance too. */
  readonly withReferrers?: boolean
  readonly blobsAtOnce?: number
  /** Called when all blobs are copied, before the manifest. Throwing prevents the push. */
  readonly beforeManifest?: () => Promise<void>
  /** Called with the bytes copied or already present. Negative if a transfer restarts. */
  readonly onBytes?: (bytes: number) => void
}

/**
 * Copies an image or index to another repository under the same digest. The tag is set last, so that it never names an
 * incomplete image.
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

/** Like `copyImage`, for a manifest that is already read. */
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

/** Total bytes of an image, counting shared blobs once. */
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
