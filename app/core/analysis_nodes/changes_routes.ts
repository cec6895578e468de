import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { dataResponse, exactObject, type JsonSchema } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { analysisNode } from './analysis_node.js'
import { AnalysisNodeService } from './analysis_node_service.js'

const TEXT: JsonSchema = { type: 'string' }
const OPTIONAL: JsonSchema = { type: ['string', 'null'] }
const PATHS: JsonSchema = { type: 'array', items: TEXT }
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })
const DIFFERENCE = orNull(exactObject({ previous: {}, next: {} }))

const CHANGES = dataResponse(
  exactObject({
    digest: TEXT,
    decision: orNull(
      exactObject({
        approvalStatus: TEXT,
        digest: TEXT,
        decidedAt: { type: 'string', format: 'date-time' },
        actorType: TEXT,
        actorId: OPTIONAL,
        actorName: OPTIONAL,
      })
    ),
    changes: orNull(
      exactObject({
        masterImage: DIFFERENCE,
        imageCommandArguments: DIFFERENCE,
        entrypoint: DIFFERENCE,
        files: exactObject({
          added: PATHS,
          removed: PATHS,
          replaced: PATHS,
          total: { type: 'integer' },
        }),
      })
    ),
  })
)

/** The route for those who decide again. */
export function analysisNodeChangesRoutes(routes: SurfaceRoutes): void {
  routes.get('/analysis-nodes/:id/changes', read, {
    name: 'readAnalysisNodeChanges',
    summary: 'Compare the content of an analysis with the content of the last decision of a node',
    access: analysisNode.access.read,
    responses: {
      200: {
        description:
          'The current digest, the last decision, and the changes since then; both are null before the first decision',
        schema: CHANGES,
      },
    },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  const parts = await ctx.containerResolver.make(AnalysisNodeService)
  sendJson(ctx, { data: await parts.changes(originOf(ctx), ctx.params.id), meta: {} })
}
