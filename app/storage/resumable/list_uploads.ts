import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { Operation } from '#http/surface'
import { loggedIn } from '#kernel/access'
import { exactObject } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { ResumableService } from './resumable_service.js'
import { LIST_SIZE } from './resumable_uploads.js'

const UPLOAD = exactObject({
  id: { type: 'string', format: 'uuid' },
  path: { type: 'string' },
  length: { type: ['integer', 'null'], description: 'The announced size; null if deferred' },
  offset: { type: 'integer', description: 'The number of stored bytes' },
  actorType: { type: 'string' },
  actorId: { type: 'string', format: 'uuid' },
  realmId: { type: ['string', 'null'] },
  createdAt: { type: 'string', format: 'date-time' },
  expiresAt: { type: 'string', format: 'date-time' },
})

export const listOperation: Operation = {
  name: 'readResumableUploads',
  summary:
    'List the unfinished uploads of a bucket: all of them for callers who may cancel them, else those of the caller',
  access: loggedIn,
  responses: {
    200: {
      description: `The uploads, sorted by path, at most ${LIST_SIZE}`,
      schema: exactObject({
        data: { type: 'array', items: UPLOAD, maxItems: LIST_SIZE },
        meta: exactObject({ total: { type: 'integer' } }),
      }),
    },
  },
}

/** Lists the uploads that reserve paths of a bucket, so that its owner can cancel abandoned ones. */
export async function listUploads(ctx: HttpContext): Promise<void> {
  const uploads = await ctx.containerResolver.make(ResumableService)
  const { data, total } = await uploads.list(originOf(ctx), ctx.params.id)
  ctx.response.header('cache-control', 'no-store')
  sendJson(ctx, { data, meta: { total } })
}
