import type { HttpContext } from '@adonisjs/core/http'

import { loggedIn } from '#kernel/access'
import { sendJson } from '#http/send_json'
import type { Operation, SurfaceRoutes } from '#http/surface'
import { recordSchema } from '#records/record_documents'
import { originOf } from '#kernel/request_origin'
import { requireAccess } from '#storage/access/bucket_access'
import { bucketFile } from '#storage/bucket_files/bucket_file'
import { BucketService } from '#storage/buckets/bucket_service'
import { Heartbeat } from '#storage/claims/heartbeat'
import { storagePool } from '#storage/database'
import { requireNoLock } from '#storage/locks/bucket_locks'
import { storageSettings } from '#storage/storage_settings'
import { objectStore } from '#storage/objects/store'
import { boundaryOf, partsOf, requireContent } from './multipart.js'
import { RequestBody } from './request_body.js'
import { Upload } from './upload.js'

const FILES = {
  type: 'array',
  items: recordSchema(bucketFile),
}

const uploadOperation: Operation = {
  name: 'uploadBucketFiles',
  summary: 'Upload files into a bucket; if one fails, none is stored',
  access: loggedIn,
  rawBody: {
    contentType: 'multipart/form-data',
    schema: {
      type: 'object',
      description: 'Each part with a file name becomes a file; the name is its path in the bucket',
      additionalProperties: { type: 'string', contentMediaType: 'application/octet-stream' },
    },
  },
  responses: {
    201: {
      description: 'The stored files, in the order of the parts',
      schema: {
        type: 'object',
        required: ['data', 'meta'],
        properties: {
          data: FILES,
          meta: {
            type: 'object',
            required: ['total'],
            properties: { total: { type: 'integer' } },
          },
        },
      },
    },
  },
}

/** The route that uploads files. */
export function uploadRoutes(routes: SurfaceRoutes): void {
  routes.post('/buckets/:id/upload', upload, uploadOperation)
}

async function upload(ctx: HttpContext): Promise<void> {
  const origin = originOf(ctx)
  const buckets = await ctx.containerResolver.make(BucketService)
  const bucket = await buckets.find(ctx.params.id)
  await requireAccess(origin.actor, bucket, 'upload')
  await requireNoLock(storagePool(), bucket.id)
  const { headers } = ctx.request.request
  requireContent(headers)
  const boundary = boundaryOf(headers['content-type'])
  const heartbeat = await ctx.containerResolver.make(Heartbeat)
  const target = { origin, bucket, store: await objectStore(), heartbeat }
  const { uploadMaxBytes: maxBytes, uploadMaxFiles: maxFiles } = storageSettings()
  const body = new RequestBody(ctx.request.request)
  try {
    const files = await new Upload(target, { maxBytes, maxFiles }).run(
      partsOf(body.chunks(), boundary),
      {
        signal: body.disconnected,
        expectedBytes: Number(headers['content-length']) || undefined,
      }
    )
    sendJson(ctx, `{"data":[${files.join()}],"meta":{"total":${files.length}}}`, 201)
  } catch (error) {
    await (ctx.response.response.shouldKeepAlive ? body.release() : body.drained())
    throw error
  }
}
