import type { HttpContext } from '@adonisjs/core/http'

import { requestEnd } from '#auth/request_end'
import { sendJson } from '#http/send_json'
import { respondLater } from '#http/respond_later'
import { countRequest } from '#http/count_request'
import { RateLimiter } from '#http/rate_limiter'
import { validatedBody, jsonMembers } from '#http/request_body'
import { sendHead } from '#http/send_stream'
import type { SurfaceRoutes } from '#http/surface'
import { actorOf } from '#kernel/request_origin'
import { idempotencyKeyOf } from './idempotency_key.js'
import { acknowledgement, messageBody } from './message_body.js'
import { acknowledgeMessages, pullMessages, sendMessage } from './message_documents.js'
import { bytesOf, MessageService } from './message_service.js'
import { readPullQuery } from './pull_query.js'
import { extraWeightOf } from './extra_weight.js'

/** The routes to send, pull and acknowledge messages. */
export function messageRoutes(routes: SurfaceRoutes): void {
  routes
    .post('/messages', send, sendMessage)
    .get('/messages', pull, pullMessages)
    .post('/messages/ack', acknowledge, acknowledgeMessages)
}

async function send(ctx: HttpContext): Promise<void> {
  const actor = actorOf(ctx)
  const key = idempotencyKeyOf(ctx)
  const { recipients } = await validatedBody(ctx, messageBody)
  const messages = await ctx.containerResolver.make(MessageService)
  const members = jsonMembers(ctx)
  const message = { recipients, data: members.get('data'), metadata: members.get('metadata') }
  const weight = extraWeightOf(bytesOf(message), recipients)
  if (weight > 0) {
    await countRequest(await ctx.containerResolver.make(RateLimiter), ctx, weight)
  }
  sendJson(ctx, { data: await messages.send(actor, message, key) }, 202)
}

async function pull(ctx: HttpContext): Promise<void> {
  const actor = actorOf(ctx)
  const query = readPullQuery(ctx.request.parsedUrl.query ?? '')
  const messages = await ctx.containerResolver.make(MessageService)
  const pulled = messages.pull(actor, query, () => requestEnd(ctx))
  respondLater(
    ctx,
    pulled.then((each) => sendJson(ctx, `{"messages":[${each.join()}]}`))
  )
}

async function acknowledge(ctx: HttpContext): Promise<void> {
  const actor = actorOf(ctx)
  const { ids } = await validatedBody(ctx, acknowledgement)
  const messages = await ctx.containerResolver.make(MessageService)
  await messages.acknowledge(actor, ids)
  ctx.response.status(202)
  ctx.response.header('content-length', 0)
  sendHead(ctx)
}
