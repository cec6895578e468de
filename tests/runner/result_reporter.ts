import { relative } from 'node:path'

import { BaseReporter } from '@japa/runner/core'

import type { JobResult } from './job.js'

/**
 * Counts tests, and how long each file took with its setup, and hands that on when the run has ended.
 */
class ResultReporter extends BaseReporter {
  readonly #told: (result: JobResult) => void
  readonly #seconds: Record<string, number> = {}
  #since = performance.now()

  constructor(told: (result: JobResult) => void) {
    super()
    this.#told = told
  }

  protected override onTestEnd(): void {
    const now = performance.now()
    const file = relative(process.cwd(), this.currentFileName ?? 'unknown')
    this.#seconds[file] = (this.#seconds[file] ?? 0) + (now - this.#since) / 1000
    this.#since = now
  }

  override async end(): Promise<void> {
    const { passed, failed, skipped, todo } = this.runner!.getSummary().aggregates
    this.#told({ passed, failed, skipped: skipped + todo, seconds: this.#seconds })
  }
}

export function resultReporter(told: (result: JobResult) => void) {
  return {
    name: 'result',
    handler: (...args: Parameters<BaseReporter['boot']>) => new ResultReporter(told).boot(...args),
  }
}
