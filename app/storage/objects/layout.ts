import type { Env } from '#configuration/variables'
import type { ObjectAddress } from './object_store.js'

/**
 * The layout of objects: each bucket in its own container, or all under prefixes of a shared one. It is stored with
 * every object, so that objects stay readable if the setting changes.
 */
export type Layout = 'own' | `shared:${string}`

/** The container and key prefix of a bucket's objects. */
export interface BucketLocation {
  readonly container: string
  readonly prefix: string
}

/** The layout of new objects. */
export function currentLayout({ S3_ENDPOINT, S3_BUCKET }: Pick<Env, 'S3_ENDPOINT' | 'S3_BUCKET'>) {
  const layout: Layout = S3_ENDPOINT && S3_BUCKET ? `shared:${S3_BUCKET}` : 'own'
  return layout
}

/** The location of a bucket's objects in a layout. */
export function bucketLocation(layout: Layout, bucketId: string): BucketLocation {
  return layout === 'own'
    ? { container: containerName(bucketId), prefix: '' }
    : { container: layout.slice('shared:'.length), prefix: `${containerName(bucketId)}/` }
}

/** The address of an object; the key is the `hash` of the file. */
export function objectAddress(layout: Layout, bucketId: string, key: string): ObjectAddress {
  const { container, prefix } = bucketLocation(layout, bucketId)
  return { container, key: prefix + key }
}

/** Converts an id to a valid S3 bucket name: lower case, at most 63 characters, no punctuation at the end. */
export function containerName(id: string): string {
  return id
    .toLowerCase()
    .replaceAll(/[^a-z\d.-]/g, '')
    .slice(0, 63)
    .replace(/[^a-z\d]+$/, '')
}
