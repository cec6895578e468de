import type { HttpContext } from '@adonisjs/core/http'

import { Authenticator } from './authenticator.js'
import { connectionEndSignal } from '#http/event_stream'
import { WaitingRequests } from '#http/waiting_limits'
import type { EndSignal } from '#kernel/end_signal'
import { actorOf } from '#kernel/request_origin'

/**
 * Ends when the client disconnects, the process stops, or the token or one of its permissions is revoked. Throws if the
 * caller has too many waiting requests.
 */
export async function requestEnd(ctx: HttpContext): Promise<EndSignal> {
  const waiting = await ctx.containerResolver.make(WaitingRequests)
  const waiter = waiting.add(actorOf(ctx), ctx.request.ip())
  const ending = connectionEndSignal(ctx)
  ending.addListener(waiter)
  const authenticator = await ctx.containerResolver.make(Authenticator)
  if (ctx.token !== undefined) {
    authenticator.guardConnection?.(ctx.token, ending)
  }
  return ending
}

/** The same as an AbortSignal. */
export async function requestEndSignal(ctx: HttpContext): Promise<AbortSignal> {
  const aborted = new AbortController()
  const ending = await requestEnd(ctx)
  ending.addListener({ onEnd: () => aborted.abort(ending.reason) })
  return aborted.signal
}
