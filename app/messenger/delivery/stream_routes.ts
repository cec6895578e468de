import type { HttpContext } from '@adonisjs/core/http'

import { requestEnd } from '#auth/request_end'
import { releaseHeaders } from '#http/release_headers'
import { sendHead } from '#http/send_stream'
import type { SurfaceRoutes } from '#http/surface'
import { enforce } from '#kernel/access'
import { actorOf } from '#kernel/request_origin'
import { partyOf } from '#messenger/mailboxes/party'
import { mailboxStream } from '#messenger/messages/message_documents'
import { MESSAGE_ACCESS } from '#messenger/messages/message_service'
import { WakeupStreams } from './wakeup_streams.js'

/** Proxies must neither cache nor buffer the stream. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-cache, no-store, no-transform, must-revalidate, max-age=0',
  'x-accel-buffering': 'no',
}

/** The route on which recipients receive a wakeup for each arrival. */
export function streamRoutes(routes: SurfaceRoutes): void {
  routes.get('/messages/stream', openStream, mailboxStream)
}

/** Returns at once, so that the request can be collected while the stream is open. */
async function openStream(ctx: HttpContext): Promise<void> {
  const actor = actorOf(ctx)
  enforce(MESSAGE_ACCESS, actor)
  const recipient = partyOf(actor)
  const { request, response } = ctx
  Object.entries(HEADERS).forEach(([name, value]) => response.header(name, value))
  if (request.method() === 'HEAD') {
    return sendHead(ctx)
  }
  const streams = await ctx.containerResolver.make(WakeupStreams)
  const ending = await requestEnd(ctx)
  response.setRequestId()
  response.writeHead()
  // Node writes the head as one string only when it is flushed here.
  response.response.flushHeaders()
  ctx.observation?.settle()
  releaseHeaders(request.request)
  streams.open(recipient, response.response, ending)
}
