import { relative } from 'node:path'

import { BaseReporter } from '@japa/runner/core'

import { added, Meter, type Costs } from './costs.js'
import type { JobResult } from './job.js'

const BEFORE_TESTS = 'starting processes'

/**
 * Counts tests and the cost of each file with its setup, and reports them when the run has ended.
 */
class ResultReporter extends BaseReporter {
  readonly #onResult: (result: JobResult) => void
  readonly #meter = new Meter()
  #costs: Costs = {}
  #file = BEFORE_TESTS

  constructor(onResult: (result: JobResult) => void) {
    super()
    this.#onResult = onResult
  }

  protected override onGroupStart(): void {
    this.#charge()
    this.#file = relative(process.cwd(), this.currentFileName ?? 'unknown')
  }

  protected override onTestEnd(): void {
    this.#charge()
  }

  override async end(): Promise<void> {
    this.#charge()
    const { passed, failed, skipped, todo } = this.runner!.getSummary().aggregates
    this.#onResult({ passed, failed, skipped: skipped + todo, costs: this.#costs })
  }

  #charge(): void {
    this.#costs = added(this.#costs, { [this.#file]: this.#meter.lap() })
  }
}

export function resultReporter(onResult: (result: JobResult) => void) {
  return {
    name: 'result',
    handler: (...args: Parameters<BaseReporter['boot']>) =>
      new ResultReporter(onResult).boot(...args),
  }
}
