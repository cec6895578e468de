import { resolve } from 'node:path'

import type { Env } from '#configuration/variables'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { ObjectMissing, UnsafeObjectName } from '#storage/objects/errors'
import { objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import { objectStore } from '#storage/objects/store'
import { openFormer } from '#adopt/former/addresses'
import type { FormerDatabase } from '#adopt/former/former_database'
import { isMismatch } from '#adopt/rows/row_reader'
import { LAYOUT } from '#adopt/transfers/storage'
import { AdoptionRefused } from './adoption_refused.js'
import type { Table } from './table.js'

const SAMPLE_SIZE = 200
const AT_ONCE = 8

/**
 * Files are not copied: the platform reads the containers of the former one in place. So the given store must be the
 * configured one.
 */
export async function requireSameStore(
  location: string | undefined,
  { S3_ENDPOINT, STORAGE_PATH }: Pick<Env, 'S3_ENDPOINT' | 'STORAGE_PATH'>
): Promise<void> {
  if (location === undefined) {
    return
  }
  const url = /^https?:/.test(location) ? URL.parse(location) : undefined
  if (url?.password) {
    throw new AdoptionRefused(
      'The location contains keys, which other users can see: remove them, and set S3_ACCESS_KEY and S3_SECRET_KEY'
    )
  }
  const isSame = url
    ? S3_ENDPOINT !== undefined && new URL(S3_ENDPOINT).origin === url.origin
    : S3_ENDPOINT === undefined && resolve(STORAGE_PATH) === resolve(location)
  if (!isSame) {
    const setting = url
      ? `S3_ENDPOINT=${url.origin}`
      : `STORAGE_PATH=${resolve(location)}, S3_ENDPOINT unset`
    throw new AdoptionRefused(
      `Files are not copied, so the platform must use the same store: set ${setting} and run the command again`
    )
  }
}

export interface ObjectCheck {
  readonly areComplete: boolean
  readonly message: string
}

interface ObjectCheckOptions {
  /** Address of the former storage database. */
  readonly address: string
  /** The `bucket_files` table. */
  readonly table: Table
  readonly isDryRun: boolean
}

interface SampledFile {
  readonly id: string
  readonly bucketId: string
  readonly layout: Layout
  readonly hash: string
  readonly size: number | null
}

const ALL_REMOVED =
  'The former platform lists no files, but some were taken before: check that FORMER_STORAGE_DATABASE_URL names its database, or remove those files here.'

/**
 * Checks for a random sample of files whether their objects are in the store. Ignores files deleted at the source
 * meanwhile.
 */
export async function checkObjects(options: ObjectCheckOptions): Promise<ObjectCheck> {
  const files = await sampleOf(options)
  if (await areAllRemoved(files, options)) {
    return { areComplete: false, message: ALL_REMOVED }
  }
  const store = await objectStore()
  const absent: string[] = []
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE)
    const found = await Promise.all(some.map((file) => isStored(store, file)))
    absent.push(...some.filter((_, i) => !found[i]).map(({ id }) => id))
  }
  const missing = await stillListed(options, absent)
  const count = files.length - absent.length + missing.length
  const message =
    missing.length === 0
      ? `All ${count} sampled files are in the object store.`
      : `${missing.length} of ${count} sampled files are missing in the object store or have another size (${missing.slice(0, 5).join(', ')}): check that S3_ENDPOINT or STORAGE_PATH names the store of the former platform.`
  return { areComplete: missing.length === 0, message }
}

/** Takes our rows if the files were migrated, otherwise, in a dry run, those of the source. */
const SAMPLE = `select g.id, coalesce(f.bucket_id, g.bucket_id) as "bucketId", coalesce(f.layout, '${LAYOUT}') as layout,
    coalesce(f.hash, g.hash) as hash, (case when f.id is null then g.size else f.size end)::float8 as size
  from json_to_recordset($1::json) as g(id uuid, bucket_id uuid, hash text, size bigint)
  left join bucket_files f on f.id = g.id
  left join adopted_rows r on r.table_name = 'bucket_files' and r.id = g.id
  where case when r.id is null then $2 else f.id is not null end`

/** Ordering by hash gives a random sample. */
async function sampleOf({ address, table, isDryRun }: ObjectCheckOptions): Promise<SampledFile[]> {
  const listed = await withFormerStorage(address, async (former) => {
    const reading = { table: 'bucket_files', columns: table.readable, order: ['hash', 'id'] }
    for await (const portion of former.read(reading)) {
      return portion.slice(0, SAMPLE_SIZE)
    }
    return []
  })
  const read = listed.map((texts) => table.theirs.read(texts))
  const values = read.flatMap((row) => (isMismatch(row) ? [] : [row.values]))
  const storage = pools.for(databaseUrl('storage'))
  const { rows } = await storage.query<SampledFile>(SAMPLE, [JSON.stringify(values), isDryRun])
  return rows
}

/** Whether files were migrated but the former platform lists none any more. */
async function areAllRemoved(files: readonly SampledFile[], { address }: ObjectCheckOptions) {
  if (files.length > 0) {
    return false
  }
  const { rows } = await pools
    .for(databaseUrl('storage'))
    .query(
      `select from bucket_files join adopted_rows using (id) where table_name = 'bucket_files' limit 1`
    )
  return (
    rows.length > 0 &&
    (await withFormerStorage(address, (former) => former.count('bucket_files'))) === 0
  )
}

/** The files that the former platform still lists. */
async function stillListed(
  { address }: ObjectCheckOptions,
  ids: readonly string[]
): Promise<string[]> {
  if (ids.length === 0) {
    return []
  }
  const names = ids.map((id) => `'${id}'`).join()
  const listed = await withFormerStorage(address, (former) =>
    former.texts(`select id from bucket_files where id in (${names})`)
  )
  const still = new Set(listed.map((id) => id.toLowerCase()))
  return ids.filter((id) => still.has(id))
}

/** Opens the former storage database with its current state. */
async function withFormerStorage<T>(
  address: string,
  action: (former: FormerDatabase) => Promise<T>
): Promise<T> {
  const former = await openFormer('storage', address)
  try {
    return await action(former)
  } finally {
    await former.close()
  }
}

async function isStored(store: ObjectStore, { bucketId, layout, hash, size }: SampledFile) {
  try {
    const facts = await store.stat(objectAddress(layout, bucketId, hash))
    return size === null || facts.size === size
  } catch (error) {
    if (error instanceof ObjectMissing || error instanceof UnsafeObjectName) {
      return false
    }
    throw error
  }
}
