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

/** What whoever brings the image of an analysis to nodes looks at last. */
export function analysisContentRoutes(routes: SurfaceRoutes): void {
  routes.get('/analyses/:id/content', read, {
    name: 'readAnalysisContent',
    summary: 'The digest of what an analysis consists of, and which nodes agreed to exactly that',
    access: analysis.access.read,
    responses: {
      200: {
        description: 'The digest, and the nodes',
        schema: CONTENT,
        headers: { ETag: 'The digest, for `If-Match` when a node approves it' },
      },
    },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  const { id } = await readAnalysis(originOf(ctx), ctx.params.id)
  const data = await agreedContent(corePool(), id)
  sendVersionedJson(ctx, { data, meta: {} }, data.digest)
}
