import { HubRefusal } from '#node/errors'
import { retryRequests } from '#node/hub/retry_requests'
import type { ExecutionReport, HubAnalyses, LogLine } from './hub_analyses.js'
import { RunTrace } from './run_trace.js'

/** The maximum number of waiting lines; further lines of the analysis are only counted. */
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
 * Reports the log and the execution of one analysis in order. Reports wait while the hub is unavailable; of several
 * waiting executions only the last one is sent.
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

  /** Traces reports of statuses. Progress is not traced, since an analysis may report it at any rate. */
  useTrace(trace: RunTrace): void {
    this.#trace = trace
  }

  /** Adds a line of the node itself, which is never dropped. */
  log(level: string, text: string, code?: string): void {
    for (const message of partsOf(text)) {
      this.#lines.push({ message, level, ...(code !== undefined && { code }) })
    }
    this.#send()
  }

  /** Adds a line that the analysis caused. Their number is limited, since the hub stores them. */
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

  /** Resolves when the hub has accepted or refused everything; with false if the queue was stopped before. */
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
      // Reports are lost if the hub refuses them, or if the queue stops before.
      await retryRequests(next, HubRefusal.isFinal, signal).catch(() => {})
    }
  }

  /** Lines are sent first, so that the reason of an end precedes it. */
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

/** Splits a text into lines of a length that the hub accepts. */
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

/** The part of a line from `start`, without splitting a character. */
function partAt(line: string, start: number): string {
  const part = line.slice(start, start + MAX_LENGTH)
  const isCut = start + MAX_LENGTH < line.length && /[\uD800-\uDBFF]$/.test(part)
  return isCut ? part.slice(0, -1) : part
}
