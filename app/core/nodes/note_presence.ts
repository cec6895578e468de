import type { HttpContext } from '@adonisjs/core/http'

import { originOf } from '#kernel/request_origin'

import { NodePresence } from './presence.js'

/** Nobody's request waits longer than this for being noted. */
const WAIT_MS = 2_000

/**
 * Notes that a client called, which may be a node's. Its first request waits for that, once a minute, so that what it is
 * answered shows the node online already.
 */
export function notePresence(ctx: HttpContext): Promise<void> | undefined {
  return ctx.actor?.kind === 'client' ? note(ctx) : undefined
}

async function note(ctx: HttpContext): Promise<void> {
  const presence = await ctx.containerResolver.make(NodePresence)
  const noting = presence.saw(originOf(ctx))?.catch((error) => {
    ctx.logger.warn({ err: error }, 'the presence of a client could not be recorded')
  })
  await (noting && notLongerThan(WAIT_MS, noting))
}

async function notLongerThan(limitMs: number, work: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limitMs)
  await Promise.race([work, late])
  clearTimeout(timer)
}
