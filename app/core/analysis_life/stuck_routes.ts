import type { HttpContext } from '@adonisjs/core/http'

import { analysis } from '#core/analyses/analysis'
import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { dataResponse, exactObject, type JsonSchema } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { StuckAnalyses } from './stuck_analyses.js'

const TEXT: JsonSchema = { type: 'string' }

const STUCK: JsonSchema = exactObject({
  analysisId: { type: 'string', format: 'uuid' },
  name: TEXT,
  process: TEXT,
  status: TEXT,
  since: { type: 'string', format: 'date-time' },
  problem: { type: ['string', 'null'] },
})

/** The route for builds and distributions that failed, or whose worker is silent. */
export function stuckAnalysisRoutes(routes: SurfaceRoutes): void {
  routes.get('/stuck-analyses', list, {
    name: 'listStuckAnalyses',
    summary:
      'List builds and distributions that failed or whose worker does not respond, in the realm of the caller; in all realms for the master realm',
    access: analysis.access.read,
    responses: {
      200: {
        description: 'At most 100 analyses, the most recently reported first',
        schema: dataResponse({ type: 'array', items: STUCK }),
      },
    },
  })
}

async function list(ctx: HttpContext): Promise<void> {
  const stuck = await ctx.containerResolver.make(StuckAnalyses)
  sendJson(ctx, { data: await stuck.list(originOf(ctx)), meta: {} })
}
