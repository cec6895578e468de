import type { HttpContext } from '@adonisjs/core/http'

import { clock } from '#kernel/clock'

/** What a node reports about itself in the headers of its requests. */
export interface NodeReport {
  readonly version: string
  /** When its process started, by the clock of the hub. */
  readonly startedAt: number
  /** How far the clock of the node is ahead. */
  readonly clockDifferenceMs: number
}

const VERSION = /^[\w.+-]{1,64}$/
/** A larger difference is no fact about a clock. */
const MAX_DIFFERENCE_MS = 2 ** 31 - 1

/** Reads the report of a node; undefined if it sends none, or one that cannot be true. */
export function readNodeReport({ request }: HttpContext): NodeReport | undefined {
  const version = request.header('x-analysis-node-version')
  if (version === undefined || !VERSION.test(version)) {
    return undefined
  }
  const time = Date.parse(request.header('x-analysis-node-time') ?? '')
  const started = Date.parse(request.header('x-analysis-node-started') ?? '')
  const clockDifferenceMs = time - clock.now()
  const isPlausible = started <= time && Math.abs(clockDifferenceMs) <= MAX_DIFFERENCE_MS
  return isPlausible
    ? { version, startedAt: started - clockDifferenceMs, clockDifferenceMs }
    : undefined
}
