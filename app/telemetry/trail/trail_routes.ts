import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import { sendHead, sendStream } from '#http/send_stream'
import type { SurfaceRoutes } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { TRAIL_ACCESS, TrailService } from './trail_service.js'

const LINES = 'application/x-ndjson'

const COUNT: JsonSchema = { type: 'integer' }

const VERDICT: JsonSchema = {
  type: 'object',
  required: ['data', 'meta'],
  properties: {
    data: {
      type: 'object',
      required: [
        'intact',
        'chains',
        'batches',
        'events',
        'removed',
        'reporters',
        'found',
        'findings',
      ],
      properties: {
        intact: { type: 'boolean' },
        chains: COUNT,
        batches: COUNT,
        events: COUNT,
        removed: COUNT,
        reporters: {
          type: 'object',
          description: 'The number of events by type of reporter: users, clients, the bus, …',
          additionalProperties: COUNT,
        },
        found: COUNT,
        findings: {
          type: 'array',
          description: 'The first thousand findings',
          items: {
            type: 'object',
            required: ['type', 'chain'],
            properties: {
              type: { enum: ['broken', 'cut', 'changed', 'missing', 'inserted'] },
              chain: { type: 'string' },
              number: COUNT,
              id: { type: 'string' },
            },
          },
        },
        unanchored: { type: 'array', items: { type: 'string' } },
      },
    },
    meta: { type: 'object' },
  },
}

/** The routes that verify the audit trail. Declare them before the routes of single events. */
export function trailRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/events/verify', verify, {
      name: 'verifyEvents',
      summary: 'Verify that the audit trail is complete and unchanged',
      access: TRAIL_ACCESS,
      responses: { 200: { description: 'The result of the verification', schema: VERDICT } },
    })
    .get('/events/export', exportEvents, {
      name: 'exportEvents',
      summary: 'Export the audit trail with its proof, for offline verification',
      access: TRAIL_ACCESS,
      responses: { 200: { description: 'JSON, one object per line', contentType: LINES } },
    })
}

async function verify(ctx: HttpContext): Promise<void> {
  const trail = await ctx.containerResolver.make(TrailService)
  const disconnected = new AbortController()
  ctx.response.response.once('close', () => disconnected.abort())
  sendJson(ctx, { data: await trail.verify(originOf(ctx), disconnected.signal), meta: {} })
}

async function exportEvents(ctx: HttpContext): Promise<void> {
  const trail = await ctx.containerResolver.make(TrailService)
  const lines = await trail.export(originOf(ctx))
  const { request, response } = ctx
  response.header('content-type', LINES)
  response.header('content-disposition', 'attachment; filename="events.ndjson"')
  response.header('cache-control', 'private, no-store')
  if (request.method() === 'HEAD') {
    lines.destroy()
    return sendHead(ctx)
  }
  await sendStream(ctx, lines)
}
