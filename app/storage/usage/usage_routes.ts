import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { dataResponse, exactObject } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { StorageUsage, USAGE_ACCESS } from './storage_usage.js'

const SCHEMA = dataResponse(
  exactObject({
    buckets: { type: 'integer' },
    files: { type: 'integer' },
    bytes: { type: 'integer' },
    countedAt: { type: 'string', format: 'date-time' },
  })
)

/** The route for how much is stored. */
export function usageRoutes(routes: SurfaceRoutes): void {
  routes.get('/usage', read, {
    name: 'readUsage',
    summary: 'Read the number of buckets and files, and their size; counted once a minute',
    access: USAGE_ACCESS,
    responses: { 200: { description: 'The counts, and the size in bytes', schema: SCHEMA } },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  const usage = await ctx.containerResolver.make(StorageUsage)
  sendJson(ctx, { data: await usage.read(originOf(ctx)), meta: {} })
}
