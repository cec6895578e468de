import type { HttpContext } from '@adonisjs/core/http'

import type { Authenticator } from './authentication_middleware.js'
import { connectionEnd } from '#http/event_stream'
import type { Ending } from '#kernel/ending'

/** Over when the connection ends, the process stops, or the caller's token or a permission of it does. */
export async function leaving(ctx: HttpContext): Promise<Ending> {
  const ending = connectionEnd(ctx)
  const authenticator: Authenticator | undefined = await ctx.containerResolver.make('authenticator')
  if (ctx.token !== undefined) {
    authenticator?.watch?.(ctx.token, ending)
  }
  return ending
}

/** The same for what takes a signal. */
export async function untilGone(ctx: HttpContext): Promise<AbortSignal> {
  const gone = new AbortController()
  const ending = await leaving(ctx)
  ending.tell({ over: () => gone.abort(ending.reason) })
  return gone.signal
}
