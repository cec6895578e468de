import { HubRefusal } from '#node/errors'
import { retryRequests } from '#node/hub/retry_requests'
import type { ExecutionReport, HubAnalyses, LogLine } from './hub_analyses.js'
import { RunTrace } from './run_trace.js'

/** Beyond so many lines that wait, further ones of the analysis are counted instead of kept. */
const MAX_LINES = 2_000
const MAX_LINES_OF_ANALYSIS = 20_000
const MIN_LENGTH = 3
const MAX_LENGTH = 2_048

export interface ReportTarget {
  readonly assignmentId: string
  readonly analysisId: string
  readonly nodeId: string
}

/**
 * Reports the log and the execution of one analysis in order. While the hub is away, reports wait; of several
 * executions that wait only the last one is sent.
 */
export class ReportQueue {
  readonly #analyses: HubAnalyses
  readonly #target: ReportTarget
  readonly #stopped = new AbortController()
  readonly #lines: LogLine[] = []
  #trace = new RunTrace()
  #dropped = 0
  #linesOfAnalysis = 0
  #execution: ExecutionReport | undefined
  #sending: Promise<void> | undefined

  constructor(analyses: HubAnalyses, target: ReportTarget) {
    this.#analyses = analyses
    this.#target = target
  }

  /** Makes reports of statuses steps of a run. An analysis reports progress as often as it likes, so that is none. */
  useTrace(trace: RunTrace): void {
    this.#trace = trace
  }

  /** A line of the node itself, which is never dropped. */
  log(level: string, text: string, code?: string): void {
    for (const message of partsOf(text)) {
      this.#lines.push({ message, level, ...(code !== undefined && { code }) })
    }
    this.#send()
  }

  /** A line that the analysis caused. The hub keeps them, so there are so many only. */
  logOfAnalysis(level: string, text: string, code?: string): void {
    for (const message of partsOf(text)) {
      if (this.#linesOfAnalysis >= MAX_LINES_OF_ANALYSIS) {
        break
      }
      this.#linesOfAnalysis += 1
      if (this.#linesOfAnalysis === MAX_LINES_OF_ANALYSIS) {
        this.log(
          'warn',
          `The analysis has logged ${MAX_LINES_OF_ANALYSIS} lines; further ones are dropped`
        )
      } else {
        this.#addLine({ message, level, ...(code !== undefined && { code }) })
      }
    }
    this.#send()
  }

  report(execution: ExecutionReport): void {
    this.#execution = { ...this.#execution, ...execution }
    this.#send()
  }

  /** Resolves when the hub has everything, or refused it; with false if the queue was stopped before. */
  async flushed(): Promise<boolean> {
    while (this.#sending) {
      await this.#sending
    }
    return !this.#stopped.signal.aborted
  }

  stop(): void {
    this.#stopped.abort()
  }

  #addLine(line: LogLine): void {
    if (this.#lines.length < MAX_LINES) {
      this.#lines.push(line)
    } else {
      this.#dropped += 1
    }
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined))
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#stopped
    for (let next = this.#next(); next && !signal.aborted; next = this.#next()) {
      // What the hub refuses is lost; what was not sent when the queue stops, too.
      await retryRequests(next, HubRefusal.isFinal, signal).catch(() => {})
    }
  }

  /** Lines go first, so that the reason of an end is there before the end. */
  #next(): (() => Promise<void>) | undefined {
    const { analysisId, nodeId, assignmentId } = this.#target
    const line = this.#lines.shift() ?? this.#droppedLine()
    if (line) {
      return () => this.#analyses.log(analysisId, nodeId, line)
    }
    const execution = this.#execution
    this.#execution = undefined
    if (!execution) {
      return undefined
    }
    const report = () => this.#analyses.report(assignmentId, execution)
    return execution.executionStatus === undefined
      ? report
      : () => this.#trace.step('Report the execution', report)
  }

  #droppedLine(): LogLine | undefined {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped > 0
      ? { level: 'warn', message: `${dropped} log lines were dropped, because the hub was away` }
      : undefined
  }
}

/** The lines of a text in lengths that the hub takes, as long as they are asked for. */
function* partsOf(text: string): Generator<string> {
  for (const [line] of text.matchAll(/[^\n]+/g)) {
    for (let at = 0; at < line.length;) {
      const part = partAt(line, at)
      at += part.length
      if (part.trim() !== '') {
        yield part.padEnd(MIN_LENGTH, '.')
      }
    }
  }
}

/** At most so many letters; none is cut into its halves. */
function partAt(line: string, start: number): string {
  const part = line.slice(start, start + MAX_LENGTH)
  const isCut = start + MAX_LENGTH < line.length && /[\uD800-\uDBFF]$/.test(part)
  return isCut ? part.slice(0, -1) : part
}
