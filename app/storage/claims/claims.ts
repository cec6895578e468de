import { EntityConflict, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { clock } from '#kernel/clock'
import { storagePool } from '#storage/database'
import { objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectAddress } from '#storage/objects/object_store'
import { prepareLocation } from '#storage/objects/bucket_locations'

/** A claim on a path of a bucket for one upload, until the claim ends. */
export interface Claim {
  /** The future id of the file. */
  readonly id: string
  readonly bucketId: string
  readonly path: string
  /** The key of the object. */
  readonly hash: string
  readonly layout: Layout
  readonly address: ObjectAddress
}

export interface ClaimRequest {
  readonly bucketId: string
  /** The region of the bucket's objects, for stores with several regions. */
  readonly region?: string | null
  /** Valid according to `pathProblem`. */
  readonly path: string
  /** The lifetime of the claim unless it is renewed. */
  readonly ttlMs: number
}

/** The path has a file, or an upload claims it. */
export class PathTaken extends EntityConflict {
  constructor(path: string) {
    const message = `The bucket has ${JSON.stringify(path)} already, or an upload of it is in progress`
    super(message, { issues: [issue('value_exists', ['path'], message)] })
  }
}

/**
 * An expired claim is replaced by the next upload, with another id and key, so that the previous upload cannot
 * finish.
 */
const CLAIM = `
  insert into bucket_file_claims as c (id, bucket_id, path, hash, layout, expires_at)
  select $1::uuid, $2::uuid, $3::varchar, $4, $5, now() + $6 * interval '1 millisecond'
  where not exists (select 1 from bucket_files f where f.bucket_id = $2::uuid and f.path = $3::varchar)
  on conflict (bucket_id, path) do update
  set id = excluded.id, hash = excluded.hash, layout = excluded.layout,
      expires_at = excluded.expires_at, created_at = now()
  where c.expires_at < now()`

const FOREIGN_KEY_VIOLATION = '23503'
const KEY_BYTES = 32

/**
 * Claims those of the paths that are free. It cannot deadlock: rows are inserted in the order of their paths, and
 * existing rows are not locked.
 */
const CLAIM_FREE = `
  insert into bucket_file_claims (id, bucket_id, path, hash, layout, expires_at)
  select c.id, $4::uuid, c.path, c.hash, $5, now() + $6 * interval '1 millisecond'
  from unnest($1::uuid[], $2::varchar[], $3::varchar[]) as c (id, path, hash)
  where not exists (select 1 from bucket_files f where f.bucket_id = $4::uuid and f.path = c.path)
  order by c.path collate "C"
  on conflict (bucket_id, path) do nothing
  returning id`

/**
 * Claims a path; its object may be stored after that. Throws `PathTaken` if a file or another claim has the path.
 */
export async function claimPath({ path, ...request }: ClaimRequest): Promise<Claim> {
  const [claim] = await buildClaims(request, [path])
  return insertClaim(claim!, request.ttlMs)
}

/** Like `claimPath`, for several paths. Each succeeds or fails independently. */
export async function claimPaths(
  request: Omit<ClaimRequest, 'path'>,
  paths: readonly string[]
): Promise<PromiseSettledResult<Claim>[]> {
  const claims = await buildClaims(request, paths)
  const free = await insertFreeClaims(claims, request)
  return Promise.allSettled(
    claims.map((claim) => (free.has(claim.id) ? claim : insertClaim(claim, request.ttlMs)))
  )
}

async function buildClaims(
  { bucketId, region }: Omit<ClaimRequest, 'path'>,
  paths: readonly string[]
): Promise<Claim[]> {
  const layout = await prepareLocation(bucketId, region)
  return paths.map((path) => {
    const hash = clock.random(KEY_BYTES).toString('hex')
    const address = objectAddress(layout, bucketId, hash)
    return { id: clock.uuid(), bucketId, path, hash, layout, address }
  })
}

async function insertClaim(claim: Claim, ttlMs: number): Promise<Claim> {
  const { id, bucketId, path, hash, layout } = claim
  const { rowCount } = await storagePool()
    .query({ name: 'claim', text: CLAIM, values: [id, bucketId, path, hash, layout, ttlMs] })
    .catch(rethrowMissingBucket)
  if (rowCount !== 1) {
    throw new PathTaken(path)
  }
  return claim
}

/** The ids of the claims that were inserted. */
async function insertFreeClaims(
  claims: readonly Claim[],
  { bucketId, ttlMs }: Omit<ClaimRequest, 'path'>
): Promise<ReadonlySet<string>> {
  const ids = claims.map(({ id }) => id)
  const paths = claims.map(({ path }) => path)
  const hashes = claims.map(({ hash }) => hash)
  const values = [ids, paths, hashes, bucketId, claims[0]?.layout, ttlMs]
  const { rows } = await storagePool()
    .query<{ id: string }>({ name: 'claim-free-paths', text: CLAIM_FREE, values })
    .catch(rethrowMissingBucket)
  return new Set(rows.map(({ id }) => id))
}

function rethrowMissingBucket(error: { code?: string }): never {
  throw error.code === FOREIGN_KEY_VIOLATION ? new EntityNotFound('bucket') : error
}

/**
 * Extends claims. Claims that were taken over stay with their new owners; claims that are locked, because they
 * become files, are skipped.
 */
export async function renewClaims(ids: readonly string[], ttlMs: number): Promise<void> {
  await storagePool().query(
    `update bucket_file_claims set expires_at = now() + $2 * interval '1 millisecond'
     where id in (
       select id from bucket_file_claims where id = any($1::uuid[]) for update skip locked
     )`,
    [ids, ttlMs]
  )
}

/** Deletes claims, which frees their paths. Remove their objects first. */
export async function releaseClaims(ids: readonly string[]): Promise<void> {
  await storagePool().query('delete from bucket_file_claims where id = any($1::uuid[])', [ids])
}
