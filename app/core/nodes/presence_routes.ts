import type { HttpContext } from '@adonisjs/core/http'

import { idListIn, idListParameter } from '#http/id_list'
import { sendJson } from '#http/send_json'
import type { ResponseDeclaration, SurfaceRoutes } from '#http/surface'
import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { exactObject, type JsonSchema } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { node } from './node.js'
import { NodePresenceReader } from './node_presence_reader.js'

const DEFAULT_HOURS = 24
const MAX_HOURS = 30 * 24

const TIME: JsonSchema = { type: 'string', format: 'date-time' }
const TIME_OR_NULL: JsonSchema = { type: ['string', 'null'], format: 'date-time' }

const STATE: Record<string, JsonSchema> = {
  nodeId: { type: 'string', format: 'uuid' },
  online: { type: 'boolean' },
  since: TIME_OR_NULL,
  seenAt: TIME_OR_NULL,
  version: { type: ['string', 'null'] },
  startedAt: TIME_OR_NULL,
  clockDifferenceMs: { type: ['integer', 'null'] },
  unbounded: { type: ['array', 'null'], items: { type: 'string' } },
  secretSince: TIME_OR_NULL,
}

const SPAN = exactObject({ from: TIME, until: TIME_OR_NULL })

const PRESENCE = { ...STATE, spans: { type: 'array', items: SPAN } }

const answer = (description: string, data: JsonSchema): ResponseDeclaration => ({
  description,
  schema: exactObject({ data }),
})

/** Whether nodes are online, since when, and when they were before. */
export function presenceRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/node-presence', list, {
      name: 'readPresenceOfNodes',
      summary: 'List the presence of nodes: whether each is online, since when, and its version',
      access: node.access.read,
      query: [idListParameter('nodeId', 'nodes')],
      responses: {
        200: answer('The nodes that exist', { type: 'array', items: exactObject(STATE) }),
      },
    })
    .get('/nodes/:id/presence', show, {
      name: 'readNodePresence',
      summary:
        'Read the presence of a node: whether it is online, and when it was during the last hours',
      access: node.access.read,
      query: [
        {
          name: 'hours',
          description: `Hours to look back; ${DEFAULT_HOURS} by default`,
          schema: { type: 'integer', minimum: 1, maximum: MAX_HOURS },
        },
      ],
      responses: { 200: answer('The presence of the node', exactObject(PRESENCE)) },
    })
}

async function list(ctx: HttpContext): Promise<void> {
  const reader = await ctx.containerResolver.make(NodePresenceReader)
  sendJson(ctx, { data: await reader.list(originOf(ctx), idListIn(ctx, 'nodeId')) })
}

async function show(ctx: HttpContext): Promise<void> {
  const reader = await ctx.containerResolver.make(NodePresenceReader)
  const { params } = ctx
  sendJson(ctx, { data: await reader.read(originOf(ctx), params.id, hoursIn(ctx)) })
}

function hoursIn({ request }: HttpContext): number {
  const sent = request.qs().hours ?? String(DEFAULT_HOURS)
  const hours = /^\d{1,3}$/.test(sent) ? Number(sent) : 0
  if (hours < 1 || hours > MAX_HOURS) {
    const message = `\`hours\` must be a whole number from 1 to ${MAX_HOURS}`
    throw new BadRequest(message, { issues: [issue('value_invalid', ['hours'], message)] })
  }
  return hours
}
