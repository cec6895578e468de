import { assert } from '@japa/assert'
import { apiClient } from '@japa/api-client'
import { configure, processCLIArgs, run } from '@japa/runner'
import { spec } from '@japa/runner/reporters'
import type { TestSuite } from '@japa/runner/types'

import { shutDown } from '#tests/helpers/application'
import { loadSettings } from '#runtime/application'

import type { JobResult } from './job.js'
import { resultReporter } from './result_reporter.js'

interface RunHere {
  suites: TestSuite[]
  /** The runner's own flags and the names of the suites to run. */
  args: string[]
  onResult(result: JobResult): void
  teardown?: () => Promise<void>
}

/** Runs tests in this process. */
export async function runHere({ suites, args, onResult: told, teardown }: RunHere): Promise<void> {
  processCLIArgs(args)
  configure({
    suites,
    plugins: [assert(), apiClient()],
    reporters: { activated: ['spec', 'result'], list: [spec(), resultReporter(told)] },
    timeout: 120_000,
    importer: importAnew(),
    teardown: [shutDown, ...(teardown ? [teardown] : [])],
  })
  await loadSettings()
  await run()
}

/** A file that belongs to two suites must be evaluated for each, so the second import gets an address of its own. */
function importAnew() {
  const imports = new Map<string, number>()
  return async (file: URL) => {
    const count = imports.get(file.href) ?? 0
    imports.set(file.href, count + 1)
    await import(count === 0 ? file.href : `${file.href}?suite=${count}`)
  }
}
