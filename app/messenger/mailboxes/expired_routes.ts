import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { Operation, SurfaceRoutes } from '#http/surface'
import { actorOf } from '#kernel/request_origin'
import { positiveInteger } from '#messenger/messages/pull_query'
import { EXPIRED_ACCESS, EXPIRED_LIMIT, ExpiredMessageService } from './expired_message_service.js'
import { PARTY_KINDS } from './party.js'

const listExpired: Operation = {
  name: 'listExpiredMessages',
  summary:
    'List the recipients with messages that expired before an acknowledgement, the latest first',
  access: EXPIRED_ACCESS,
  query: [
    {
      name: 'limit',
      description: `Number of recipients, at most ${EXPIRED_LIMIT.most}; the default is ${EXPIRED_LIMIT.default}`,
      schema: { type: 'number' },
    },
  ],
  responses: {
    200: {
      description:
        'The number of expired messages of each recipient; `total` is the number of such recipients',
      schema: {
        type: 'object',
        required: ['recipients', 'total'],
        properties: {
          recipients: {
            type: 'array',
            items: {
              type: 'object',
              required: ['type', 'id', 'expired', 'lastExpiredAt'],
              properties: {
                type: { enum: [...PARTY_KINDS] },
                id: { type: 'string', format: 'uuid' },
                expired: { type: 'integer' },
                lastExpiredAt: { type: 'string', format: 'date-time' },
              },
            },
          },
          total: { type: 'integer' },
        },
      },
    },
  },
}

/** The route that lists the recipients whose messages expired. */
export function expiredRoutes(routes: SurfaceRoutes): void {
  routes.get('/messages/expired', list, listExpired)
}

async function list(ctx: HttpContext): Promise<void> {
  const actor = actorOf(ctx)
  const parameters = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
  const limit = positiveInteger(parameters, 'limit') ?? EXPIRED_LIMIT.default
  const expired = await ctx.containerResolver.make(ExpiredMessageService)
  sendJson(ctx, await expired.list(actor, Math.min(limit, EXPIRED_LIMIT.most)))
}
