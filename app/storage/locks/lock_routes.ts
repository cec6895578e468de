import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { isKind, requireThat } from '#auth/verification/checks'
import { sendJson } from '#http/send_json'
import { validatedBody } from '#http/request_body'
import type { SurfaceRoutes } from '#http/surface'
import { requiresInMasterRealm } from '#kernel/access'
import { body } from '#kernel/body'
import { EntityNotFound } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import { dataResponse, exactObject } from '#kernel/json_schema'
import { actorOf } from '#kernel/request_origin'
import { id } from '#records/rules'
import { bucketLocks } from './bucket_locks.js'
import { removeForCore } from './local_removals.js'

const MAX_LOCKS = 500
const MAX_BUCKETS = 1_000
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

const access = requiresInMasterRealm('bucket_update', 'bucket_delete')

const newLocks = body({
  locks: vine
    .array(vine.object({ id: id(), bucketIds: vine.array(id()).maxLength(MAX_BUCKETS) }))
    .maxLength(MAX_LOCKS),
})

const removal = body({ file: id().optional(), bucket: id().optional() })

const LOCKS = dataResponse({
  type: 'array',
  items: exactObject({ id: { type: 'string' }, createdAt: { type: 'string' } }),
  maxItems: bucketLocks.pageSize,
})

/** Routes for core, which locks the buckets with the code of an analysis. Users lock the analysis. */
export function lockRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/bucket-locks', list, {
      name: 'readBucketLocks',
      summary: 'List the locks on buckets, sorted by id',
      access,
      query: [
        {
          name: 'after',
          description: 'The last id of the previous page',
          schema: { type: 'string', format: 'uuid' },
        },
      ],
      responses: { 200: { description: 'One page of locks', schema: LOCKS } },
    })
    .post('/bucket-locks', lock, {
      name: 'lockBuckets',
      summary: 'Lock buckets, so that files can neither be added nor removed until the release',
      access,
      body: newLocks,
      responses: {
        202: { description: 'The buckets are locked', schema: dataResponse(exactObject({})) },
      },
    })
    .delete('/bucket-locks/:id', release, {
      name: 'releaseBucketLock',
      summary: 'Release a lock; a missing lock counts as released',
      access,
      responses: {
        202: { description: 'The lock is released', schema: dataResponse(exactObject({})) },
      },
    })
    .post('/bucket-removals', remove, {
      name: 'removeFromBuckets',
      summary:
        'For the core service: delete a file or a bucket of an analysis, even if it is locked',
      access,
      body: removal,
      responses: {
        202: {
          description: 'The file or bucket is deleted',
          schema: dataResponse(exactObject({})),
        },
      },
    })
}

async function list(ctx: HttpContext): Promise<void> {
  requireMachine(ctx)
  const after = String(ctx.request.qs().after ?? FIRST_ID)
  const locks = isUuid(after) ? await bucketLocks.list(after) : []
  sendJson(ctx, { data: locks, meta: {} })
}

async function lock(ctx: HttpContext): Promise<void> {
  requireMachine(ctx)
  const { locks } = await validatedBody(ctx, newLocks)
  await bucketLocks.lock(locks)
  sendJson(ctx, { data: {}, meta: {} }, 202)
}

async function release(ctx: HttpContext): Promise<void> {
  requireMachine(ctx)
  const { id: lockId } = ctx.params
  if (!isUuid(lockId)) {
    throw new EntityNotFound('bucket-lock')
  }
  await bucketLocks.release(lockId)
  sendJson(ctx, { data: {}, meta: {} }, 202)
}

async function remove(ctx: HttpContext): Promise<void> {
  requireMachine(ctx)
  const { file, bucket } = await validatedBody(ctx, removal)
  if (file !== undefined) {
    await removeForCore({ file })
  }
  if (bucket !== undefined) {
    await removeForCore({ bucket })
  }
  sendJson(ctx, { data: {}, meta: {} }, 202)
}

/** Only clients and robots: users must not release the lock of an analysis. */
function requireMachine(ctx: HttpContext): void {
  requireThat(actorOf(ctx), isKind('client', 'robot'))
}
