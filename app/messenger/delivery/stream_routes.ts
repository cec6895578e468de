import type { HttpContext } from '@adonisjs/core/http'

import { requestEnd } from '#auth/request_end'
import { forgetHeaders } from '#http/forget_headers'
import { sendHead } from '#http/send_stream'
import type { SurfaceRoutes } from '#http/surface'
import { enforce } from '#kernel/access'
import { actorOf } from '#kernel/request_origin'
import { partyOf } from '#messenger/mailboxes/party'
import { mailboxStream } from '#messenger/messages/message_documents'
import { MESSAGE_ACCESS } from '#messenger/messages/message_service'
import { WakeupStreams } from './wakeup_streams.js'

/** Whatever stands between keeps nothing of a stream, and does not wait for its end. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-cache, no-store, no-transform, must-revalidate, max-age=0',
  'x-accel-buffering': 'no',
}

/** The route on which recipients are told that something has come. */
export function streamRoutes(routes: SurfaceRoutes): void {
  routes.get('/messages/stream', openStream, mailboxStream)
}

/** Returns at once: nothing of the request is kept for as long as the stream lasts. */
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
  // As one text, which the head is not before it leaves.
  response.response.flushHeaders()
  ctx.observation?.settle()
  forgetHeaders(request.request)
  streams.open(recipient, response.response, ending)
}
