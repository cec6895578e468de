import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { loggedIn } from '#kernel/access'
import { dataResponse, exactObject } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { requireAccess } from '#storage/access/bucket_access'
import { BucketService } from '#storage/buckets/bucket_service'
import { storagePool } from '#storage/database'

const MAX_FILES = 50_000

const FILES = {
  name: 'files-of-bucket',
  text: `select json_build_object('meta', json_build_object(), 'data', json_build_object(
      'total', (select count(*) from bucket_files where bucket_id = $1),
      'files', (select coalesce(json_agg(file), '[]') from (
        select id, path, size, sha256 from bucket_files where bucket_id = $1 order by path limit ${MAX_FILES}) file)
    ))::text as files`,
}

const FILE = exactObject({
  id: { type: 'string' },
  path: { type: 'string' },
  size: { type: ['integer', 'null'] },
  sha256: { type: ['string', 'null'] },
})
const SCHEMA = dataResponse(
  exactObject({
    total: { type: 'integer' },
    files: { type: 'array', items: FILE, maxItems: MAX_FILES },
  })
)

/** Returns all files of a bucket in one response, for clients that would otherwise read page after page. */
export function bucketFilesRoutes(routes: SurfaceRoutes): void {
  routes.get('/buckets/:id/files', read, {
    name: 'readBucketFiles',
    summary: `List up to ${MAX_FILES} files of a bucket with their sizes and digests`,
    access: loggedIn,
    responses: { 200: { description: 'The files, sorted by path', schema: SCHEMA } },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  const buckets = await ctx.containerResolver.make(BucketService)
  const bucket = await buckets.find(ctx.params.id)
  await requireAccess(originOf(ctx).actor, bucket)
  const { rows } = await storagePool().query<{ files: string }>({ ...FILES, values: [bucket.id] })
  sendJson(ctx, rows[0]!.files)
}
