import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { dataResponse, exactObject, type JsonSchema } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { SESSIONS_ACCESS, UserService } from './user_service.js'

const TIME_OR_NULL: JsonSchema = { type: ['string', 'null'], format: 'date-time' }
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] }

const SESSION = exactObject({
  id: { type: 'string' },
  client: TEXT_OR_NULL,
  isBrowser: { type: 'boolean' },
  since: { type: 'string', format: 'date-time' },
  usedAt: TIME_OR_NULL,
  address: TEXT_OR_NULL,
  userAgent: TEXT_OR_NULL,
})

/** The routes for the sessions of a user, for administrators of accounts. */
export function sessionRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/users/:id/sessions', list, {
      name: 'listUserSessions',
      summary: 'List the newest hundred sessions of a user: applications and browsers',
      access: SESSIONS_ACCESS,
      responses: {
        200: {
          description: 'The open sessions',
          schema: dataResponse({ type: 'array', items: SESSION }),
        },
      },
    })
    .delete('/users/:id/sessions', end, {
      name: 'endUserSessions',
      summary: 'End all sessions of a user; the account stays active',
      access: SESSIONS_ACCESS,
      responses: {
        202: {
          description: 'The number of ended sessions',
          schema: dataResponse(exactObject({ ended: { type: 'integer' } })),
        },
      },
    })
}

async function list(ctx: HttpContext): Promise<void> {
  const users = await ctx.containerResolver.make(UserService)
  const data = await users.sessions(originOf(ctx), ctx.params.id)
  sendJson(ctx, { data, meta: {} })
}

async function end(ctx: HttpContext): Promise<void> {
  const users = await ctx.containerResolver.make(UserService)
  const ended = await users.endSessions(originOf(ctx), ctx.params.id)
  sendJson(ctx, { data: { ended }, meta: {} }, 202)
}
