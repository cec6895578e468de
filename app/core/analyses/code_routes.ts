import type { HttpContext } from '@adonisjs/core/http'

import { corePool } from '#core/database'
import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { EntityNotFound } from '#kernel/failures'
import { dataResponse, exactObject } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { analysis } from './analysis.js'
import { CONTENT_DIGEST } from './approved_content.js'
import { readAnalysis } from './read_analysis.js'

/** No image is built from more files. */
const MAX_FILES = 50_000

/** One statement reads the files and the content digest, so that both have the same snapshot. */
const CODE = {
  name: 'code-of-analysis',
  text: `with code as (
      select f.bucket_file_id as "bucketFileId", f.bucket_id as "bucketId", f.path, f.root
      from analysis_bucket_files f join analysis_buckets b on b.id = f.analysis_bucket_id
      where f.analysis_id = $1 and b.type = 'CODE')
    select json_build_object('meta', json_build_object(), 'data', json_build_object(
      'digest', ${CONTENT_DIGEST},
      'masterImage', (
        select json_build_object('id', m.id, 'virtualPath', m.virtual_path, 'command', m.command,
          'commandArguments', m.command_arguments::json)
        from master_images m where m.id = a.master_image_id),
      'imageCommandArguments', a.image_command_arguments::json,
      'bucketId', b.bucket_id,
      'total', (select count(*) from code),
      'files', (select coalesce(json_agg(file), '[]') from (
        select "bucketFileId", "bucketId", path, root from code
        order by path, "bucketFileId" limit ${MAX_FILES}) file)
    ))::text as code
    from analyses a join lateral (
      select bucket_id from analysis_buckets where analysis_id = a.id and type = 'CODE'
      order by built_in desc, created_at, id limit 1) b on true
    where a.id = $1`,
}

const FILE = exactObject({
  bucketFileId: { type: 'string' },
  bucketId: { type: 'string' },
  path: { type: 'string' },
  root: { type: 'boolean' },
})
const ARGUMENTS = { type: ['array', 'null'], items: { type: 'object' } } as const
const MASTER_IMAGE = exactObject({
  id: { type: 'string' },
  virtualPath: { type: 'string' },
  command: { type: ['string', 'null'] },
  commandArguments: ARGUMENTS,
})
const SCHEMA = dataResponse(
  exactObject({
    digest: { type: 'string' },
    masterImage: { anyOf: [MASTER_IMAGE, { type: 'null' }] },
    imageCommandArguments: ARGUMENTS,
    bucketId: { type: 'string' },
    total: { type: 'integer' },
    files: { type: 'array', items: FILE, maxItems: MAX_FILES },
  })
)

/** Answers a worker that builds an image with all files in one request. */
export function analysisCodeRoutes(routes: SurfaceRoutes): void {
  routes.get('/analyses/:id/code', read, {
    name: 'readAnalysisCode',
    summary: `Read the content of an analysis: its digest, its image, and up to ${MAX_FILES} files of its code`,
    access: analysis.access.read,
    responses: {
      200: {
        description:
          'The digest of the content, the image, the built-in bucket, and the files of all code buckets, sorted by path',
        schema: SCHEMA,
      },
    },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  const { id } = await readAnalysis(originOf(ctx), ctx.params.id)
  const { rows } = await corePool().query<{ code: string }>({ ...CODE, values: [id] })
  if (!rows[0]) {
    throw new EntityNotFound('analysis-bucket')
  }
  sendJson(ctx, rows[0].code)
}
