import { EntityConflict, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { clock } from '#kernel/clock'
import { storagePool } from '#storage/database'
import { objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectAddress } from '#storage/objects/object_store'
import { prepareLocation } from '#storage/objects/bucket_locations'

/** A path of a bucket that a file is being sent to. It belongs to that upload until the claim ends. */
export interface Claim {
  /** Becomes the id of the file. */
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
  /** Where the bucket's objects should be, for stores that have several regions. */
  readonly region?: string | null
  /** One that `pathProblem` has nothing against. */
  readonly path: string
  /** How long the claim lasts unless it is renewed. */
  readonly ttlMs: number
}

/** The path has a file, or one is being sent. */
export class PathTaken extends EntityConflict {
  constructor(path: string) {
    const message = `The bucket has ${JSON.stringify(path)} already, or it is being sent`
    super(message, { issues: [issue('value_exists', ['path'], message)] })
  }
}

/**
 * A claim that was not renewed in time is taken over by the next upload: under another id and key, so that the former
 * holder cannot end what is not theirs any more.
 */
const CLAIM = `
  insert into bucket_file_claims as c (id, bucket_id, path, hash, layout, held_until)
  select $1::uuid, $2::uuid, $3::varchar, $4, $5, now() + $6 * interval '1 millisecond'
  where not exists (select 1 from bucket_files f where f.bucket_id = $2::uuid and f.path = $3::varchar)
  on conflict (bucket_id, path) do update
  set id = excluded.id, hash = excluded.hash, layout = excluded.layout,
      held_until = excluded.held_until, created_at = now()
  where c.held_until < now()`

const FOREIGN_KEY_VIOLATION = '23503'
const KEY_BYTES = 32

/**
 * Of several paths, claims those that are free. It never waits for a row while others wait for one of it: all take new rows in
 * the order of their paths, and leave rows alone that are there.
 */
const CLAIM_FREE = `
  insert into bucket_file_claims (id, bucket_id, path, hash, layout, held_until)
  select c.id, $4::uuid, c.path, c.hash, $5, now() + $6 * interval '1 millisecond'
  from unnest($1::uuid[], $2::varchar[], $3::varchar[]) as c (id, path, hash)
  where not exists (select 1 from bucket_files f where f.bucket_id = $4::uuid and f.path = c.path)
  order by c.path collate "C"
  on conflict (bucket_id, path) do nothing
  returning id`

/** Claims a path, after which its object may be stored; throws `PathTaken` where a file or another claim has it. */
export async function claimPath({ path, ...request }: ClaimRequest): Promise<Claim> {
  const [claim] = await buildClaims(request, [path])
  return insertClaim(claim!, request.ttlMs)
}

/** As `claimPath`, for several paths at once, each of which succeeds or fails by itself. */
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

/** The ids of those that are claimed now. */
async function insertFreeClaims(
  claims: readonly Claim[],
  { bucketId, ttlMs: heldForMs }: Omit<ClaimRequest, 'path'>
): Promise<ReadonlySet<string>> {
  const ids = claims.map(({ id }) => id)
  const paths = claims.map(({ path }) => path)
  const hashes = claims.map(({ hash }) => hash)
  const values = [ids, paths, hashes, bucketId, claims[0]?.layout, heldForMs]
  const { rows } = await storagePool()
    .query<{ id: string }>({ name: 'claim-free', text: CLAIM_FREE, values })
    .catch(rethrowMissingBucket)
  return new Set(rows.map(({ id }) => id))
}

function rethrowMissingBucket(error: { code?: string }): never {
  throw error.code === FOREIGN_KEY_VIOLATION ? new EntityNotFound('bucket') : error
}

/**
 * Renews claims, from now on for so long. Those that were taken over stay with their new holders, and those that are about to
 * become files are not waited for.
 */
export async function renewClaims(ids: readonly string[], ttlMs: number): Promise<void> {
  await storagePool().query(
    `update bucket_file_claims set held_until = now() + $2 * interval '1 millisecond'
     where id in (
       select id from bucket_file_claims where id = any($1::uuid[]) for update skip locked
     )`,
    [ids, ttlMs]
  )
}

/** Gives claims up, so that their paths are free at once. Their objects must be gone by then. */
export async function releaseClaims(ids: readonly string[]): Promise<void> {
  await storagePool().query('delete from bucket_file_claims where id = any($1::uuid[])', [ids])
}
