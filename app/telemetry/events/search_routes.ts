import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { originOf } from '#kernel/request_origin'
import { event } from './event.js'
import { readSearch, SEARCH_PARAMETERS } from './event_search.js'
import { EventService } from './event_service.js'

/** The route that searches events by actor and time as well. Declare it before the routes of single events. */
export function searchRoutes(routes: SurfaceRoutes): void {
  routes.get('/events/search', search, {
    name: 'searchEvents',
    summary: 'Search events by actor, record, name and time, the newest first, without a total',
    access: event.access.read,
    query: SEARCH_PARAMETERS,
    responses: {
      200: {
        description: 'One page of events; `meta.next` is the cursor of the next page',
        schema: {
          type: 'object',
          required: ['data', 'meta'],
          properties: {
            data: { type: 'array', items: { type: 'object' } },
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
  })
}

async function search(ctx: HttpContext): Promise<void> {
  const events = await ctx.containerResolver.make(EventService)
  const { data, meta } = await events.search(originOf(ctx), await readSearch(ctx.request.qs()))
  sendJson(ctx, `{"data":[${data.join()}],"meta":${JSON.stringify(meta)}}`)
}
