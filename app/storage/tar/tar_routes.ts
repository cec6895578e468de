import { once } from 'node:events'

import type { HttpContext } from '@adonisjs/core/http'

import { loggedIn } from '#kernel/access'
import type { Operation, SurfaceRoutes } from '#http/surface'
import { originOf } from '#kernel/request_origin'
import { recordCodeRead } from '#audit/record_security_event'
import { requireAccess } from '#storage/access/bucket_access'
import { bucket as bucketKind } from '#storage/buckets/bucket'
import { BucketService } from '#storage/buckets/bucket_service'
import { OpenDownloads } from '#storage/downloads/open_downloads'
import { sendHead, sendStream } from '#http/send_stream'
import { objectStore } from '#storage/objects/store'
import { bucketEntries, requireSizes } from './bucket_entries.js'
import { tarStream } from './tar_stream.js'

const TYPE = 'application/x-tar'

const tarOperation: Operation = {
  name: 'streamBucket',
  summary: 'Download all files of a bucket as a tar archive, sorted by path',
  access: loggedIn,
  responses: {
    200: {
      description: 'The tar archive; if it ends early, it is incomplete',
      contentType: TYPE,
      headers: { 'content-disposition': 'The name to save it under' },
    },
  },
}

/** The route that downloads a bucket as a tar. */
export function tarRoutes(routes: SurfaceRoutes): void {
  routes.get('/buckets/:id/stream', streamBucket, tarOperation)
}

async function streamBucket(ctx: HttpContext): Promise<void> {
  const buckets = await ctx.containerResolver.make(BucketService)
  const bucket = await buckets.find(ctx.params.id)
  const origin = originOf(ctx)
  const ground = await requireAccess(origin.actor, bucket)
  await requireSizes(bucket.id)
  if (ctx.request.method() === 'HEAD') {
    announce(ctx, bucket.id)
    return sendHead(ctx)
  }
  const downloads = await ctx.containerResolver.make(OpenDownloads)
  await downloads.run(origin.actor, async () => {
    if (ground === 'decision') {
      await recordCodeRead(origin, { ...bucket, kind: bucketKind.name })
    }
    const tar = tarStream(bucketEntries(bucket.id, await objectStore()))
    // Errors of the first objects, or of the store, can still be answered.
    await once(tar, 'readable')
    announce(ctx, bucket.id)
    await sendStream(ctx, tar)
  })
}

function announce({ response }: HttpContext, bucketId: string): void {
  response.header('content-type', TYPE)
  response.header('content-disposition', `attachment; filename="${bucketId}.tar"`)
  response.header('cache-control', 'private, no-cache')
}
