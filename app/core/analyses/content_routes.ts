import type { HttpContext } from '@adonisjs/core/http'

import { corePool } from '#core/database'
import { sendVersionedJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { dataResponse, exactObject } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { agreedContent } from './agreed_content.js'
import { analysis } from './analysis.js'
import { readAnalysis } from './read_analysis.js'

const CONTENT = dataResponse(
  exactObject({
    digest: { type: 'string' },
    nodes: {
      type: 'array',
      items: exactObject({ nodeId: { type: 'string' }, agrees: { type: 'boolean' } }),
    },
  })
)

/** A distributor checks this just before it distributes an image to nodes. */
export function analysisContentRoutes(routes: SurfaceRoutes): void {
  routes.get('/analyses/:id/content', read, {
    name: 'readAnalysisContent',
    summary: 'Read the content digest of an analysis, and the nodes that approved this content',
    access: analysis.access.read,
    responses: {
      200: {
        description: 'The digest, and the ids of the nodes',
        schema: CONTENT,
        headers: {
          'ETag': 'The digest, for `If-Match` when a node approves the content',
          'X-Analysis-Traceparent':
            'The W3C `traceparent` of the latest build or distribution, if its trace is recorded',
        },
      },
    },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  const { id } = await readAnalysis(originOf(ctx), ctx.params.id)
  const { traceparent, ...data } = await agreedContent(corePool(), id)
  if (traceparent !== null) {
    ctx.response.header('x-analysis-traceparent', traceparent)
  }
  sendVersionedJson(ctx, { data, meta: {} }, data.digest)
}
