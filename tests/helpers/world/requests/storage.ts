import { clock } from '#kernel/clock'
import { aBucket, aFile } from '#tests/functional/storage/storage_scene'
import { BUCKET_TYPES, type BucketType, type WorldAnalysis } from '#tests/helpers/world/analyses'
import type { Row } from '#tests/helpers/world/row'
import type { World } from '#tests/helpers/world/world'
import { STORAGE } from '#tests/helpers/world/access_table/storage'
import { send, type WorldRequest } from '#tests/helpers/world/world_request'
import { allAnalyses, analysisRow, INSTALLATION } from './facts.js'
import type { RequestMaker } from './kinds.js'

interface Stored {
  readonly bucketId: string
  readonly fileId: string
  readonly row: Row
}

type Ask = (stored: Stored) => Omit<WorldRequest, 'row'>

/** A bucket with a file of somebody who keeps it for themselves. */
async function privateBucket({ realms, people }: World): Promise<Stored> {
  const ownerId = people.of.north.researcher.actor!.id
  const traits = { realmId: realms.north, actorType: 'user', actorId: ownerId }
  const bucket = await aBucket(traits)
  const file = await aFile(bucket.id, traits)
  const row = {
    name: 'a bucket that somebody of the north made',
    id: bucket.id,
    realmId: realms.north,
    ownerId,
  }
  return { bucketId: bucket.id, fileId: file.id, row }
}

/** A fresh bucket of an analysis, which no row of core names. */
async function freshBucket(analysis: WorldAnalysis, type: BucketType): Promise<Stored> {
  const { realmId, id } = analysis
  const bucket = await aBucket({ realmId, refType: 'analysis', refId: id })
  const file = await aFile(bucket.id, { realmId })
  return {
    bucketId: bucket.id,
    fileId: file.id,
    row: analysisRow(analysis, { id: bucket.id, type, called: 'fresh bucket' }),
  }
}

const standing = (analysis: WorldAnalysis, type: BucketType): Stored => {
  const { bucketId, fileId } = analysis.buckets[type]
  return { bucketId, fileId, row: analysisRow(analysis, { id: bucketId, type, called: 'bucket' }) }
}

const PLACES = Array.from({ length: 10 }, (_, index) => index)

/** One request for the bucket of each type of each analysis, and for one of no analysis. */
const ofAllBuckets = (ask: Ask): RequestMaker[] => [
  ...PLACES.flatMap((place) =>
    BUCKET_TYPES.map((type): RequestMaker => async (world) => {
      const stored = standing(allAnalyses(world)[place]!, type)
      return { ...ask(stored), row: stored.row }
    })
  ),
  ofPrivate(ask),
]

const ofPrivate =
  (ask: Ask): RequestMaker =>
  async (world) => {
    const stored = await privateBucket(world)
    return { ...ask(stored), row: stored.row }
  }

/** Writes into the results of an analysis that runs and into the code of one that is not locked. */
const ofOpenBuckets = (ask: Ask): RequestMaker[] => [
  async ({ analyses }) => withRow(standing(analyses.executing, 'RESULT'), ask),
  async ({ analyses }) => withRow(standing(analyses.executing, 'TEMP'), ask),
  async ({ elsewhere }) => withRow(standing(elsewhere, 'TEMP'), ask),
  async ({ analyses }) => withRow(standing(analyses.drafted, 'CODE'), ask),
  ofPrivate(ask),
]

const withRow = (stored: Stored, ask: Ask): WorldRequest => ({ ...ask(stored), row: stored.row })

/** Changes of buckets and files that go with them. */
const ofFreshBuckets = (ask: Ask): RequestMaker[] => [
  async ({ analyses }) => withRow(await freshBucket(analyses.executing, 'TEMP'), ask),
  async ({ elsewhere }) => withRow(await freshBucket(elsewhere, 'TEMP'), ask),
  ofPrivate(ask),
]

function upload(): FormData {
  const form = new FormData()
  form.append('file', new Blob(['content']), `${clock.uuid()}.txt`)
  return form
}

const uploadMetadata = () => `filename ${Buffer.from(clock.uuid()).toString('base64')}`

const TUS = { 'tus-resumable': '1.0.0' }

const beginning = (bucketId: string) => ({
  method: 'POST',
  path: `/buckets/${bucketId}/resumable`,
  headers: { ...TUS, 'upload-length': '3', 'upload-metadata': uploadMetadata() },
})

/** Whoever a rule lets write there first: somebody whose upload others try to reach. */
const writerOf = ({ identities }: World, row: Row) =>
  identities.find((by) => by.actor && STORAGE.beginResumableUpload!.allows(by, row))!

/** A fresh unfinished upload of somebody in each of the open buckets. */
const ofUploads = (ask: Omit<WorldRequest, 'row' | 'path'>): RequestMaker[] =>
  ofOpenBuckets(({ bucketId }) => beginning(bucketId)).map((make) => async (world) => {
    const request = await make(world)
    const by = writerOf(world, request.row)
    const { status, location, text } = await send('storage', request, by)
    if (location === undefined) {
      throw new Error(
        `${by.name} did not begin an upload to ${request.row.name}: ${status} ${text}`
      )
    }
    const row = {
      ...request.row,
      name: `an upload of ${by.name} to ${request.row.name}`,
      uploaderId: by.actor!.id,
    }
    const path = `${request.path}/${location.split('/').at(-1)}`
    return { ...ask, headers: { ...TUS, ...ask.headers }, path, row }
  })

const CHUNK = {
  headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
  bytes: 'abc',
}

const central = (method: string, path: string, body?: object): RequestMaker[] => [
  async () => ({ method, path, body, row: INSTALLATION }),
]

/** What to send for the routes of storage. */
export const STORAGE_REQUESTS: Readonly<Record<string, readonly RequestMaker[]>> = {
  'listBucket': ofAllBuckets(({ bucketId }) => ({
    method: 'GET',
    path: `/buckets?filter[id]=${bucketId}`,
    isList: true,
  })),
  'readBucket': ofAllBuckets(({ bucketId }) => ({ method: 'GET', path: `/buckets/${bucketId}` })),
  'streamBucket': ofAllBuckets(({ bucketId }) => ({
    method: 'GET',
    path: `/buckets/${bucketId}/stream`,
  })),
  'readBucketFiles': ofAllBuckets(({ bucketId }) => ({
    method: 'GET',
    path: `/buckets/${bucketId}/files`,
  })),
  'listBucketFile': ofAllBuckets(({ fileId }) => ({
    method: 'GET',
    path: `/bucket-files?filter[id]=${fileId}`,
    isList: true,
  })),
  'listBucketFile (of a bucket)': ofAllBuckets(({ bucketId }) => ({
    method: 'GET',
    path: `/bucket-files?filter[bucketId]=${bucketId}&include=bucket&sort=-name&page[limit]=1`,
    isList: true,
  })),
  'readBucketFile': ofAllBuckets(({ fileId }) => ({
    method: 'GET',
    path: `/bucket-files/${fileId}?include=bucket`,
  })),
  'streamBucketFile': ofAllBuckets(({ fileId }) => ({
    method: 'GET',
    path: `/bucket-files/${fileId}/stream`,
  })),

  'createBucket': (['institute', 'north'] as const).map((realm) => async ({ realms }) => ({
    method: 'POST',
    path: '/buckets',
    body: { name: `bucket-${clock.uuid()}`, realmId: realms[realm] },
    row: { name: `a new bucket of the ${realm}`, id: '', realmId: realms[realm] },
  })),
  'updateBucket': ofFreshBuckets(({ bucketId }) => ({
    method: 'POST',
    path: `/buckets/${bucketId}`,
    body: {},
  })),
  'deleteBucket': ofFreshBuckets(({ bucketId }) => ({
    method: 'DELETE',
    path: `/buckets/${bucketId}`,
  })),
  'deleteBucketFile': ofFreshBuckets(({ fileId }) => ({
    method: 'DELETE',
    path: `/bucket-files/${fileId}`,
  })),
  'uploadBucketFiles': ofOpenBuckets(({ bucketId }) => ({
    method: 'POST',
    path: `/buckets/${bucketId}/upload`,
    form: upload,
  })),
  'readResumableUploads': ofOpenBuckets(({ bucketId }) => ({
    method: 'GET',
    path: `/buckets/${bucketId}/resumable`,
  })),
  'beginResumableUpload': ofOpenBuckets(({ bucketId }) => beginning(bucketId)),
  'readResumableUpload': ofUploads({ method: 'HEAD' }),
  'continueResumableUpload': ofUploads({ method: 'PATCH', ...CHUNK }),
  'endResumableUpload': ofUploads({ method: 'DELETE' }),
  'useResumableUpload': ofUploads({
    method: 'POST',
    ...CHUNK,
    headers: { ...CHUNK.headers, 'x-http-method-override': 'PATCH' },
  }),

  'readBucketLocks': central('GET', '/bucket-locks'),
  'lockBuckets': central('POST', '/bucket-locks', { locks: [] }),
  'releaseBucketLock': central('DELETE', `/bucket-locks/${clock.uuid()}`),
  'removeFromBuckets': central('POST', '/bucket-removals', { file: clock.uuid() }),
  'readUsage': central('GET', '/usage'),
}
