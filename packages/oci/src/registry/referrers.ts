import { KeyedMutex } from '#kernel/keyed_mutex'
import type { Descriptor, StoredManifest } from '#oci/image_store'
import { isDigest } from '#oci/image_names'
import { descriptorOf, isObject, parseManifest, storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { allPages } from './pages.js'
import type { RegistryClient } from './registry_client.js'
import { pullScope } from './scopes.js'

interface ManifestAccess {
  manifest(repository: string, reference: string): Promise<StoredManifest | undefined>
  put(repository: string, manifest: StoredManifest, tag: string): Promise<void>
}

/** The tag with the referrers index, for registries without the referrers API. */
export const referrersTag = (digest: string): string => digest.replace(':', '-')

/** Serializes index updates of this process. */
const updates = new KeyedMutex()

/** The referrers of a manifest, from the API or the fallback index. */
export async function referrersOf(
  client: RegistryClient,
  manifests: ManifestAccess,
  repository: string,
  digest: string
): Promise<readonly Descriptor[]> {
  const pages = await allPages(client, {
    at: `${repository}/referrers/${digest}`,
    scopes: [pullScope(repository)],
    accept: MEDIA_TYPES.oci.index,
  })
  if (!pages) {
    return entriesOf(await manifests.manifest(repository, referrersTag(digest)))
  }
  return pages
    .flatMap(({ manifests: page }) => (Array.isArray(page) ? page : []))
    .filter((entry): entry is Descriptor => isObject(entry) && isDigest(entry.digest))
}

interface ReferrersChange {
  /** Whether the referrers are added or removed. */
  readonly isAdded: boolean
  /** Whether the subject has no index yet. */
  readonly isFirst?: boolean
}

/** Adds manifests to, or removes them from, the fallback index of each subject. */
export async function updateReferrersIndex(
  client: RegistryClient,
  manifests: ManifestAccess,
  repository: string,
  referrers: readonly StoredManifest[],
  { isAdded, isFirst = false }: ReferrersChange
): Promise<void> {
  for (const [subject, added] of Map.groupBy(referrers, subjectOf)) {
    if (subject !== undefined) {
      const tag = referrersTag(subject)
      await updates.run(`${client.host}/${repository}:${tag}`, async () => {
        const known = isFirst ? [] : entriesOf(await manifests.manifest(repository, tag))
        const next = isAdded ? withAdded(known, added) : without(known, added)
        if (next.length !== known.length) {
          await manifests.put(repository, indexOf(next), tag)
        }
      })
    }
  }
}

const subjectOf = (manifest: StoredManifest): string | undefined =>
  parseManifest(manifest).subject?.digest

const without = (known: readonly Descriptor[], removed: readonly StoredManifest[]): Descriptor[] =>
  known.filter(({ digest }) => !removed.some((manifest) => manifest.digest === digest))

const withAdded = (
  known: readonly Descriptor[],
  added: readonly StoredManifest[]
): Descriptor[] => [
  ...known,
  ...added
    .filter(({ digest }) => !known.some((descriptor) => descriptor.digest === digest))
    .map(descriptorOf),
]

const indexOf = (manifests: readonly Descriptor[]): StoredManifest => {
  const mediaType = MEDIA_TYPES.oci.index
  return storedManifest(mediaType, { schemaVersion: 2, mediaType, manifests })
}

function entriesOf(index: StoredManifest | undefined): readonly Descriptor[] {
  const parsed = index && parseManifest(index)
  return parsed?.kind === 'index' ? parsed.manifests : []
}
