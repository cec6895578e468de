import { resolve } from 'node:path'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { env } from '#start/env'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import { objectStore } from '#storage/objects/store'
import { Refusal } from './refusal.js'

const LOOKED_FOR = 200
const AT_ONCE = 8

/**
 * Files are not copied: each bucket keeps its own container, and the platform finds them there where it uses the same store. So
 * the store that is named has to be the one of the settings.
 */
export async function requireObjects(named: string | undefined): Promise<void> {
  if (named === undefined) {
    return
  }
  const url = /^https?:/.test(named) ? URL.parse(named) : undefined
  if (url?.password) {
    throw new Refusal(
      'Keys of a store do not belong into arguments: set S3_ACCESS_KEY, S3_SECRET_KEY'
    )
  }
  const isSame = url
    ? env.S3_ENDPOINT !== undefined && new URL(env.S3_ENDPOINT).origin === url.origin
    : env.S3_ENDPOINT === undefined && resolve(env.STORAGE_PATH) === resolve(named)
  if (!isSame) {
    const setting = url
      ? `S3_ENDPOINT=${url.origin}`
      : `STORAGE_PATH=${resolve(named)}, S3_ENDPOINT unset`
    throw new Refusal(
      `The files stay where they are, and the platform reads them there: set ${setting} for it, and begin again`
    )
  }
}

export interface FoundObjects {
  readonly areThere: boolean
  readonly said: string
}

const SAMPLE = `select f.bucket_id as "bucketId", f.layout, f.hash, f.size::float8 as size, f.id
  from bucket_files f join (
    select id from adopted_rows where list = 'bucket_files' order by digest limit ${LOOKED_FOR}
  ) r on r.id = f.id`

interface Sampled {
  readonly id: string
  readonly bucketId: string
  readonly layout: Layout
  readonly hash: string
  readonly size: number | null
}

/** Looks whether the objects of some files, chosen by chance, are where they should be. */
export async function lookForObjects(): Promise<FoundObjects> {
  const { rows } = await pools.for(databaseUrl('storage')).query<Sampled>(SAMPLE)
  const store = await objectStore()
  const missing: string[] = []
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE)
    const found = await Promise.all(some.map((file) => isThere(store, file)))
    missing.push(...some.filter((_, i) => !found[i]).map(({ id }) => id))
  }
  const said =
    missing.length === 0
      ? `Of ${rows.length} files that were looked for, all are in the object store.`
      : `Of ${rows.length} files that were looked for, ${missing.length} are not in the object store, or are there with another size (${missing.slice(0, 5).join(', ')}): look whether S3_ENDPOINT or STORAGE_PATH names the store of the former platform.`
  return { areThere: missing.length === 0, said }
}

async function isThere(store: ObjectStore, { bucketId, layout, hash, size }: Sampled) {
  try {
    const facts = await store.stat(objectAddress(layout, bucketId, hash))
    return size === null || facts.size === size
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return false
    }
    throw error
  }
}
