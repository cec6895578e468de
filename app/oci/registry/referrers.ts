import type { Descriptor, StoredManifest } from '#oci/image_store'
import { isDigest } from '#oci/image_names'
import { descriptorOf, isObject, parseManifest, storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { allPages } from './pages.js'
import type { RegistryClient } from './registry_client.js'
import { pulling } from './scopes.js'

interface Manifests {
  manifest(repository: string, reference: string): Promise<StoredManifest | undefined>
  put(repository: string, manifest: StoredManifest, tag: string): Promise<void>
}

/** The tag whose index lists what is said about a manifest, in registries without an API for that. */
export const referrersTag = (digest: string): string => digest.replace(':', '-')

/** One change of such an index after the other, as far as this process makes them. */
const changes = new Map<string, Promise<void>>()

/** What a registry knows to be said about a manifest. */
export async function referrersOf(
  client: RegistryClient,
  manifests: Manifests,
  repository: string,
  digest: string
): Promise<readonly Descriptor[]> {
  const pages = await allPages(client, {
    at: `${repository}/referrers/${digest}`,
    scopes: [pulling(repository)],
    accept: MEDIA_TYPES.oci.index,
  })
  if (!pages) {
    return listed(await manifests.manifest(repository, referrersTag(digest)))
  }
  return pages
    .flatMap(({ manifests: page }) => (Array.isArray(page) ? page : []))
    .filter((said): said is Descriptor => isObject(said) && isDigest(said.digest))
}

/** Notes under the tag that a manifest is about another one, or that it is no more. */
export async function noteReferrer(
  client: RegistryClient,
  manifests: Manifests,
  repository: string,
  manifest: StoredManifest,
  isThere: boolean
): Promise<void> {
  const { subject } = parseManifest(manifest)
  if (!subject) {
    return
  }
  const tag = referrersTag(subject.digest)
  const key = `${client.host}/${repository}:${tag}`
  const before = changes.get(key) ?? Promise.resolve()
  const change = before.then(async () => {
    const known = listed(await manifests.manifest(repository, tag))
    const others = known.filter(({ digest }) => digest !== manifest.digest)
    if (isThere === others.length < known.length) {
      return
    }
    const index = storedManifest(MEDIA_TYPES.oci.index, {
      schemaVersion: 2,
      mediaType: MEDIA_TYPES.oci.index,
      manifests: isThere ? [...others, descriptorOf(manifest)] : others,
    })
    await manifests.put(repository, index, tag)
  })
  const settled = change.catch(() => {})
  changes.set(key, settled)
  void settled.then(() => changes.get(key) === settled && changes.delete(key))
  await change
}

function listed(index: StoredManifest | undefined): readonly Descriptor[] {
  const parsed = index && parseManifest(index)
  return parsed?.kind === 'index' ? parsed.manifests : []
}
