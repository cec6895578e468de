import type pg from 'pg'

import { isUuid } from '#kernel/is_uuid'
import type { Claim } from '#storage/claims/claims'
import { storagePool } from '#storage/database'
import { objectAddress, type Layout } from '#storage/objects/layout'
import type { PartialObject } from '#storage/objects/object_store'
import { UploadNotFound } from './failures.js'

/** A stored upload, and whether it is a file already. */
export interface ResumableUpload {
  readonly id: string
  readonly bucketId: string
  readonly path: string
  readonly hash: string
  readonly layout: Layout
  /** The size in bytes; null while the client defers it. */
  readonly length: number | null
  /** As the client sent them. */
  readonly metadata: string
  readonly actorType: string
  readonly actorId: string
  readonly realmId: string | null
  readonly object: PartialObject
  readonly digest: Buffer | null
  readonly expiresAt: Date
  readonly isFile: boolean
}

/** An unfinished upload as lists show it. */
export interface ListedUpload extends Pick<
  ResumableUpload,
  'id' | 'path' | 'length' | 'actorType' | 'actorId' | 'realmId'
> {
  /** How many bytes are stored. */
  readonly offset: number
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The changes after a chunk. */
export interface Progress {
  readonly object: PartialObject
  readonly digest: Buffer | null
}

/** How long an upload is retained after each chunk. */
const UPLOAD_LIFETIME_MS = 3 * 24 * 60 * 60 * 1000

const NEW_EXPIRY = `now() + ${UPLOAD_LIFETIME_MS} * interval '1 millisecond'`

const COLUMNS = `u.id, u.bucket_id as "bucketId", u.path, u.hash, u.layout, u.length::float8, u.metadata,
  u.actor_type as "actorType", u.actor_id as "actorId", u.realm_id as "realmId", u.object, u.digest,
  u.expires_at as "expiresAt"`

const FIND = `
  select ${COLUMNS}, f.id is not null as "isFile"
  from resumable_uploads u
    left join bucket_files f on f.id = u.id
    left join bucket_file_claims c on c.id = u.id
  where u.id = $1 and u.bucket_id = $2 and u.expires_at > now() and (f.id is not null or c.id is not null)`

/** The most uploads of one list. */
export const LIST_SIZE = 1_000

/** All unfinished uploads of a bucket, or those of one actor. */
const LIST = `
  select u.id, u.path, u.length::float8, u.stored::float8 as "offset", u.actor_type as "actorType",
    u.actor_id as "actorId", u.realm_id as "realmId", u.created_at as "createdAt", u.expires_at as "expiresAt",
    (count(*) over ())::int as total
  from resumable_uploads u join bucket_file_claims c on c.id = u.id
  where u.bucket_id = $1 and u.expires_at > now()
    and ($2::text is null or u.actor_type = $2 and u.actor_id = $3::uuid)
  order by u.path limit ${LIST_SIZE}`

const FIND_ON_PATH = `
  select ${COLUMNS}, false as "isFile"
  from resumable_uploads u join bucket_file_claims c on c.id = u.id
  where u.bucket_id = $1 and u.path = $2`

/** Extends the claim in the same statement; before that it is short-lived. */
const INSERT = `
  with claim as (
    update bucket_file_claims set expires_at = ${NEW_EXPIRY} where id = $1 returning id
  )
  insert into resumable_uploads as u (id, bucket_id, path, hash, layout, length, metadata, actor_type, actor_id,
    realm_id, object, expires_at)
  select id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, ${NEW_EXPIRY} from claim
  returning ${COLUMNS}, false as "isFile"`

/** Extends the claim in the same statement, so that neither outlives the other. */
const RECORD = `
  with claim as (
    update bucket_file_claims set expires_at = ${NEW_EXPIRY} where id = $1 returning id
  )
  update resumable_uploads u
  set object = $3, stored = $4, digest = $5, expires_at = ${NEW_EXPIRY}
  where u.id = $1 and u.stored = $2 and exists (select 1 from claim)
  returning ${COLUMNS}, false as "isFile"`

export type NewUpload = Pick<
  ResumableUpload,
  'length' | 'metadata' | 'actorType' | 'actorId' | 'realmId' | 'object'
>

export async function insertUpload(
  transaction: pg.ClientBase,
  claim: Claim,
  upload: NewUpload
): Promise<ResumableUpload> {
  const { id, bucketId, path, hash, layout } = claim
  const { length, metadata, actorType, actorId, realmId, object } = upload
  const values = [id, bucketId, path, hash, layout, length, metadata, actorType, actorId, realmId]
  return queryOne(INSERT, [...values, JSON.stringify(object)], transaction)
}

/** Throws `UploadNotFound` if there is none, or its claim was lost. */
export async function findUpload(id: string, bucketId: string): Promise<ResumableUpload> {
  if (!isUuid(id)) {
    throw new UploadNotFound()
  }
  return queryOne(FIND, [id, bucketId])
}

/** The unfinished upload that claims a path; undefined without one. */
export async function findOnPath(
  bucketId: string,
  path: string
): Promise<ResumableUpload | undefined> {
  const { rows } = await storagePool().query<ResumableUpload>(FIND_ON_PATH, [bucketId, path])
  return rows[0]
}

/** The unfinished uploads of a bucket, or those of one actor in it, and how many there are. */
export async function listUnfinished(
  bucketId: string,
  sender?: Pick<ResumableUpload, 'actorType' | 'actorId'>
): Promise<{ data: readonly ListedUpload[]; total: number }> {
  const values = [bucketId, sender?.actorType ?? null, sender?.actorId ?? null]
  const { rows } = await storagePool().query<ListedUpload & { total: number }>(LIST, values)
  return { data: rows.map(({ total: _, ...upload }) => upload), total: rows[0]?.total ?? 0 }
}

/** Records progress unless the upload has changed meanwhile. */
export async function recordProgress(
  { id, object: before }: ResumableUpload,
  { object, digest }: Progress
): Promise<ResumableUpload> {
  return queryOne(RECORD, [id, before.size, JSON.stringify(object), object.size, digest])
}

/** Records the size that the client had deferred. */
export async function declareLength(
  transaction: pg.ClientBase,
  upload: ResumableUpload,
  length: number
): Promise<ResumableUpload> {
  const { id } = upload
  await transaction.query('update resumable_uploads set length = $2 where id = $1', [id, length])
  return { ...upload, length }
}

/** Removes an upload and frees its path. Remove its object first. */
export async function removeUpload(id: string): Promise<void> {
  await storagePool().query(
    `with claim as (delete from bucket_file_claims where id = $1)
     delete from resumable_uploads where id = $1`,
    [id]
  )
}

/** Removes expired uploads, completed ones included; returns how many. */
export async function removeExpiredUploads(): Promise<number> {
  const { rowCount } = await storagePool().query(
    'delete from resumable_uploads where expires_at < now()'
  )
  return rowCount ?? 0
}

/** The claim on the path, from which the file is created. */
export function claimOf({ id, bucketId, path, hash, layout }: ResumableUpload): Claim {
  return { id, bucketId, path, hash, layout, address: objectAddress(layout, bucketId, hash) }
}

async function queryOne(
  text: string,
  values: unknown[],
  database: pg.ClientBase | pg.Pool = storagePool()
): Promise<ResumableUpload> {
  const { rows } = await database.query<ResumableUpload>(text, values)
  const [upload] = rows
  if (!upload) {
    throw new UploadNotFound()
  }
  return upload
}
