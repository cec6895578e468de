import type { HttpContext } from '@adonisjs/core/http'

import { analysis } from '#core/analyses/analysis'
import { sendJson } from '#http/send_json'
import type { Operation, SurfaceRoutes } from '#http/surface'
import { originOf } from '#kernel/request_origin'
import { AnalysisTimeline, ENTRIES_PER_PAGE } from './analysis_timeline.js'
import { SOURCE_NAMES } from './timeline_entry.js'

const TIMELINE: Operation = {
  name: 'readAnalysisTimeline',
  summary: 'Read the timeline of an analysis: events, states, approvals and logs, newest first',
  access: analysis.access.read,
  query: [
    {
      name: 'cursor',
      description: 'The `meta.next` of the previous page',
      schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
    },
  ],
  responses: {
    200: {
      description: 'One page of entries; `meta.next` is the cursor of the next page',
      schema: {
        type: 'object',
        required: ['data', 'meta'],
        properties: {
          data: {
            type: 'array',
            items: {
              type: 'object',
              required: ['time', 'source', 'name'],
              properties: {
                time: { type: 'string', format: 'date-time' },
                source: { type: 'string', enum: [...SOURCE_NAMES] },
                name: { type: 'string' },
              },
            },
          },
          meta: {
            type: 'object',
            required: ['limit', 'next'],
            properties: { limit: { type: 'integer' }, next: { type: ['string', 'null'] } },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
    },
  },
}

/** The route of the timeline of an analysis. */
export function timelineRoutes(routes: SurfaceRoutes): void {
  routes.get('/analyses/:id/timeline', show, TIMELINE)
}

async function show(ctx: HttpContext): Promise<void> {
  const timeline = await ctx.containerResolver.make(AnalysisTimeline)
  const cursor = ctx.request.qs().cursor
  const { entries, next } = await timeline.page(
    originOf(ctx),
    ctx.params.id,
    ENTRIES_PER_PAGE,
    typeof cursor === 'string' ? cursor : undefined
  )
  sendJson(ctx, { data: entries, meta: { limit: ENTRIES_PER_PAGE, next } })
}
