import type { HttpContext } from '@adonisjs/core/http'

import { corePool } from '#core/database'
import { answerVersion } from '#http/answer'
import type { SurfaceRoutes } from '#http/surface'
import { answering, exactly } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { agreedContent } from './agreed_content.js'
import { analysis } from './analysis.js'
import { readAnalysis } from './client_of_analysis.js'

const CONTENT = answering(
  exactly({
    digest: { type: 'string' },
    nodes: {
      type: 'array',
      items: exactly({ nodeId: { type: 'string' }, agrees: { type: 'boolean' } }),
    },
  })
)

/** What whoever brings the image of an analysis to nodes looks at last. */
export function analysisContentRoutes(routes: SurfaceRoutes): void {
  routes.get('/analyses/:id/content', read, {
    name: 'readAnalysisContent',
    summary: 'The digest of what an analysis consists of, and which nodes agreed to exactly that',
    access: analysis.access.read,
    answers: {
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
  answerVersion(ctx, { data, meta: {} }, data.digest)
}
