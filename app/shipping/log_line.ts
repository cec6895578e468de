import { tryParseJson } from '#kernel/try_parse_json'
import type { LogLine } from './log_task.js'

const WRITER = 'telemetry'

/**
 * The surface of a log line: the one it names, or that of the process. A process that serves telemetry writes the logs,
 * so lines without another surface are attributed to telemetry.
 */
export function surfaceOf({ surface }: LogLine, surfaces: readonly string[]): string {
  if (typeof surface === 'string' && surface !== 'none' && surface !== 'hub') {
    return surface
  }
  return surfaces.includes(WRITER) ? WRITER : (surfaces[0] ?? WRITER)
}

/** Whether lines of the surface are about writing logs. Shipping them would produce more of them. */
export const isLogWriter = (surface: string): boolean => surface === WRITER

/** Parses a log line; undefined if it is not one. */
export function readLine(text: string): LogLine | undefined {
  return tryParseJson(text) as LogLine | undefined
}
