import type { Env } from '#start/env'
import type { ObjectAddress } from './object_store.js'

/**
 * How the objects of our buckets are laid out: each bucket in a container of its own, or all of them under prefixes in one
 * that is named here. It is kept with every object, so that objects stay readable when the setting changes.
 */
export type Layout = 'own' | `shared:${string}`

/** Where the objects of one bucket are: all that start with the prefix. */
export interface BucketLocation {
  readonly container: string
  readonly prefix: string
}

/** The layout of what is stored from now on. */
export function currentLayout({ S3_ENDPOINT, S3_BUCKET }: Pick<Env, 'S3_ENDPOINT' | 'S3_BUCKET'>) {
  const layout: Layout = S3_ENDPOINT && S3_BUCKET ? `shared:${S3_BUCKET}` : 'own'
  return layout
}

/** Where a bucket's objects of one layout are. */
export function bucketLocation(layout: Layout, bucketId: string): BucketLocation {
  return layout === 'own'
    ? { container: containerName(bucketId), prefix: '' }
    : { container: layout.slice('shared:'.length), prefix: `${containerName(bucketId)}/` }
}

/** Where one object of a bucket is; the key is the `hash` of the file. */
export function objectAddress(layout: Layout, bucketId: string, key: string): ObjectAddress {
  const { container, prefix } = bucketLocation(layout, bucketId)
  return { container, key: prefix + key }
}

/** A name as S3 takes it, made from an id of ours: lower case, at most 63 characters, no punctuation at the end. */
export function containerName(id: string): string {
  return id
    .toLowerCase()
    .replaceAll(/[^a-z\d.-]/g, '')
    .slice(0, 63)
    .replace(/[^a-z\d]+$/, '')
}
