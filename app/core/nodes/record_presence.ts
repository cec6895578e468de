import type { HttpContext } from '@adonisjs/core/http'

import { originOf } from '#kernel/request_origin'

import { NodePresence } from './node_presence.js'
import { readNodeReport } from './node_report.js'

/** The longest time that a request waits until its presence is recorded. */
const MAX_WAIT_MS = 2_000

/**
 * Records the presence of a client, which may be that of a node. The first request after a silence waits for that, so
 * that its response shows the node online.
 */
export function recordPresence(ctx: HttpContext): Promise<void> | undefined {
  return ctx.actor?.kind === 'client' ? record(ctx) : undefined
}

async function record(ctx: HttpContext): Promise<void> {
  const presence = await ctx.containerResolver.make(NodePresence)
  const recording = presence.record(originOf(ctx), readNodeReport(ctx))?.catch((error) => {
    ctx.logger.warn({ err: error }, 'the presence of a client could not be recorded')
  })
  await (recording && withTimeLimit(MAX_WAIT_MS, recording))
}

async function withTimeLimit(limitMs: number, work: Promise<void>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limitMs)
  await Promise.race([work, timeout])
  clearTimeout(timer)
}
