import { readAll } from './verified_bytes.js'
import { ImageMissing, ManifestInvalid, PlatformMissing } from './errors.js'
import { parseConfig, type ImageConfig } from './image_config.js'
import type { Descriptor, ImageStore, StoredManifest } from './image_store.js'
import { parseManifest, type ImageIndex, type ImageManifest } from './manifest.js'

export interface Platform {
  readonly os: string
  readonly architecture: string
}

/** The default platform of analyses. Independent of the host, so that builds are reproducible. */
export const DEFAULT_PLATFORM: Platform = { os: 'linux', architecture: 'amd64' }

const MAX_CONFIG_BYTES = 8 * 1024 ** 2

/** A single-platform image with its config. */
export interface PlatformImage {
  readonly repository: string
  readonly stored: StoredManifest
  readonly manifest: ImageManifest
  readonly config: ImageConfig
}

/** Finds an image by tag or digest, and selects the platform if it is an index. */
export async function platformImage(
  store: ImageStore,
  repository: string,
  reference: string,
  platform: Platform = DEFAULT_PLATFORM
): Promise<PlatformImage> {
  const found = await requireManifest(store, repository, reference)
  const parsed = parseManifest(found)
  if (parsed.kind === 'image') {
    return withConfig(store, repository, found, parsed)
  }
  const { digest } = pick(parsed, platform, `${repository} at ${reference}`)
  const stored = await requireManifest(store, repository, digest)
  const manifest = parseManifest(stored)
  if (manifest.kind === 'index') {
    throw new ManifestInvalid(`${digest} is an index within an index`)
  }
  return withConfig(store, repository, stored, manifest)
}

export async function requireManifest(
  store: ImageStore,
  repository: string,
  reference: string
): Promise<StoredManifest> {
  const found = await store.manifest(repository, reference)
  if (!found) {
    throw new ImageMissing(repository, reference)
  }
  return found
}

/** Bytes of the config and the layers. */
export const imageSize = ({ config, layers }: ImageManifest): number =>
  layers.reduce((sum, { size }) => sum + size, config.size)

async function withConfig(
  store: ImageStore,
  repository: string,
  stored: StoredManifest,
  manifest: ImageManifest
): Promise<PlatformImage> {
  const bytes = await readAll(store.readBlob(repository, manifest.config), MAX_CONFIG_BYTES)
  return { repository, stored, manifest, config: parseConfig(bytes, manifest.config.digest) }
}

/** Attestations are listed in an index with the platform `unknown/unknown`. */
function pick({ manifests }: ImageIndex, { os, architecture }: Platform, name: string): Descriptor {
  const found = manifests.find(
    ({ platform }) => platform?.os === os && platform.architecture === architecture
  )
  if (!found) {
    const others = manifests.flatMap(({ platform }) =>
      platform && platform.os !== 'unknown' ? [`${platform.os}/${platform.architecture}`] : []
    )
    throw new PlatformMissing(
      `${name} is not available for ${os}/${architecture}, only for ${others.join(', ') || 'unnamed platforms'}`
    )
  }
  return found
}
