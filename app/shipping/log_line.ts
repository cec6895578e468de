import { tryParseJson } from '#kernel/try_parse_json'
import type { LogLine } from './log_task.js'

const WRITER = 'telemetry'

/**
 * Whose line it is: that of the surface it is about, else that of the process. A process that works for telemetry is the one that
 * writes logs; what is not about another surface is its own.
 */
export function surfaceOf({ surface }: LogLine, surfaces: readonly string[]): string {
  if (typeof surface === 'string' && surface !== 'none' && surface !== 'hub') {
    return surface
  }
  return surfaces.includes(WRITER) ? WRITER : (surfaces[0] ?? WRITER)
}

/** Lines about the writing of logs would make more of them where they were shipped. */
export const isLogWriter = (surface: string): boolean => surface === WRITER

/** A line of the log as it was written; undefined for what is none. */
export function readLine(text: string): LogLine | undefined {
  return tryParseJson(text) as LogLine | undefined
}
