import 'reflect-metadata'

import { testDatabase } from '#tests/helpers/database/test_database'
import { closingLine } from '#tests/runner/closing_line'
import { jobOfThisProcess, type JobMessage, type JobSetting } from '#tests/runner/job'
import { runHere } from '#tests/runner/run_here'
import { runConcurrently } from '#tests/runner/run_concurrently'
import { slowestFiles } from '#tests/runner/slowest_files'
import { needsDatabase, SUITES, parseSuites } from '#tests/runner/suites'
import { testEnvironment } from '#tests/helpers/test_environment'

/** A failed test may leave handles open, which must not block the run. */
const OPEN_HANDLES_TIMEOUT_MS = 10_000

testEnvironment()

const job = jobOfThisProcess()
if (job) {
  await runJob(job)
} else {
  const { names, flags } = parseSuites(process.argv.slice(2))
  if (flags.length > 0) {
    await runAlone(names, flags)
  } else {
    const passed = await runConcurrently(SUITES.filter(({ name }) => names.includes(name)))
    process.exitCode = passed ? 0 : 1
  }
}

/** Runs a job in a child process, which ends when its parent disconnects. */
async function runJob({ suite, files, databaseUrl, folder }: JobSetting): Promise<void> {
  process.once('disconnect', () => process.exit(1))
  process.channel!.unref()
  Object.assign(process.env, {
    DATA_DIR: folder,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  })
  const suites = SUITES.filter(({ name }) => name === suite)
  await runHere({
    suites: suites.map((shared) => ({ ...shared, files: [...files] })),
    args: [suite],
    onResult: (jobResult) => process.send!({ jobResult } satisfies JobMessage),
  })
  setTimeout(() => {
    console.error(`Left open by the tests: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, OPEN_HANDLES_TIMEOUT_MS).unref()
}

/** Runs all tests in this process, for runs of a few tests. */
async function runAlone(names: string[], flags: string[]): Promise<void> {
  const database = needsDatabase(names) ? await testDatabase() : undefined
  await runHere({
    suites: SUITES,
    args: [...names, ...flags],
    onResult: (result) => {
      process.once('exit', () => {
        console.log(`\n${slowestFiles(result.costs)}\n\n${closingLine(result)}`)
      })
    },
    teardown: async () => database?.stop(),
  })
}
