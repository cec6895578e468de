import type { HttpContext } from '@adonisjs/core/http'

import { clock } from '#kernel/clock'

/** What a node reports about itself in the headers of its requests. */
export interface NodeReport {
  readonly version: string
  /** When its process started, by the clock of the hub. */
  readonly startedAt: number
  /** How far the clock of the node is ahead. */
  readonly clockDifferenceMs: number
  /** What its limits of analyses do not cover, in words of its own; null if it does not say. */
  readonly unbounded: readonly string[] | null
}

const VERSION = /^[\w.+-]{1,64}$/
const NOTHING = 'none'
const MAX_UNBOUNDED = 10
const UNBOUNDED = /^[a-z][a-zA-Z]{0,63}$/
/** A larger difference is a false report. */
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
    ? {
        version,
        startedAt: started - clockDifferenceMs,
        clockDifferenceMs,
        unbounded: unboundedIn(request.header('x-analysis-node-unbounded')),
      }
    : undefined
}

function unboundedIn(header: string | undefined): readonly string[] | null {
  if (header === undefined || header === NOTHING) {
    return header === undefined ? null : []
  }
  const words = header.split(',').map((word) => word.trim())
  const isReport = words.length <= MAX_UNBOUNDED && words.every((word) => UNBOUNDED.test(word))
  return isReport ? [...new Set(words)] : null
}
