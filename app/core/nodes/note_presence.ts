import type { HttpContext } from '@adonisjs/core/http'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { originOf } from '#records/origin'

import { NodePresence } from './presence.js'

let presence: NodePresence | undefined

/**
 * Notes that a client called, which may be a node's. Its request does not wait for that.
 */
export function notePresence(ctx: HttpContext): void {
  if (ctx.actor?.kind !== 'client') {
    return
  }
  presence ??= new NodePresence(pools.for(databaseUrl('core')))
  presence.saw(originOf(ctx)).catch((error) => {
    ctx.logger.warn({ err: error }, 'that a client called was not noted')
  })
}
