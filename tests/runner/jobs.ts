import { globSync, statSync } from 'node:fs'

import type { TestSuite } from '@japa/runner/types'

import type { Job } from './job.js'

/** A process costs about three seconds before its first test: it imports and boots the application. */
const BYTES_PER_JOB = 90_000

/** Fills each table. */
const SLOWEST = ['tests/integration/records/indexes.spec.ts']

/**
 * Divides suites into jobs that take about as long as each other. Files that take long on their own are a job each and come
 * first, then the suites, those of one module at a time last, so that a run does not end with something long.
 */
export function jobsOf(suites: readonly TestSuite[]): Job[] {
  const jobs = suites.toReversed().flatMap((suite) => [
    ...filesOf(suite)
      .filter(isSlow)
      .map((file) => ({ suite: suite.name, files: [file] })),
    ...sharesOf(suite),
  ])
  const isLong = ({ files }: Job) => isSlow(files[0]!)
  return [...jobs.filter(isLong), ...jobs.filter((job) => !isLong(job))]
}

const isSlow = (file: string): boolean => SLOWEST.includes(file) || startsInstallations(file)

/** The tests of the interface share one program. */
const startsInstallations = (file: string): boolean =>
  /^tests\/(acceptance|installations|services)\//.test(file) &&
  !file.startsWith('tests/acceptance/interface/')

function filesOf({ files }: TestSuite): string[] {
  const patterns = files as string | string[]
  return globSync(patterns).sort((one, other) => sizeOf(other) - sizeOf(one))
}

const sizeOf = (file: string): number => statSync(file).size

function sharesOf(suite: TestSuite): Job[] {
  const files = filesOf(suite).filter((file) => !isSlow(file))
  const count = Math.ceil(files.reduce((sum, file) => sum + sizeOf(file), 0) / BYTES_PER_JOB)
  const shares = Array.from({ length: count }, () => ({ bytes: 0, files: [] as string[] }))
  for (const file of files) {
    const smallest = shares.reduce((least, share) => (share.bytes < least.bytes ? share : least))
    smallest.bytes += sizeOf(file)
    smallest.files.push(file)
  }
  return shares.map(({ files: share }) => ({ suite: suite.name, files: share }))
}
