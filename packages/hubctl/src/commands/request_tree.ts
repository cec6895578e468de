import type { LineFrom, LogLine } from './log_sources.js'
import { traceOf, type TracePart, type TraceStep } from './trace_tree.js'

/** What the log lines say that name a request. */
export interface RequestTrace {
  readonly requestId: string
  /** How it was answered, and what went wrong in processes of the hub. */
  readonly steps: readonly TraceStep[]
  /** What workers did because of it. */
  readonly parts: readonly TracePart[]
}

const PROBLEMS: ReadonlySet<string> = new Set(['warn', 'error', 'crit'])

/** Puts the lines that name a request, which are in order of time, together. */
export function requestTraceOf(requestId: string, lines: readonly LineFrom[]): RequestTrace {
  const own = lines.filter(({ line }) => line.labels.component === undefined)
  const steps = own.flatMap(({ line }) => answerIn(line) ?? problemIn(line) ?? [])
  return { requestId, steps, parts: traceOf(lines) }
}

/** The line that a hub writes at the end of a request. */
function answerIn({ time, labels }: LogLine): TraceStep | undefined {
  const { method, path, status, ms } = labels
  if (method === undefined || path === undefined || status === undefined || ms === undefined) {
    return undefined
  }
  return {
    name: `${method} ${path}: ${status}`,
    startedAt: new Date(Date.parse(time) - Number(ms)).toISOString(),
    seconds: Number(ms) / 1000,
    result: Number(status) >= 500 ? 'failed' : 'done',
  }
}

/** The text of a line, without the stack, which says where it happened. */
function problemIn({ time, level, message }: LogLine): TraceStep | undefined {
  const name = message.split(/\n +at /)[0]!.replaceAll('\n', ': ')
  return PROBLEMS.has(level)
    ? { name, startedAt: time, seconds: null, result: 'failed' }
    : undefined
}
