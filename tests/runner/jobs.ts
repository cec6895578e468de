import { globSync, statSync } from 'node:fs'

import type { TestSuite } from '@japa/runner/types'

import type { Job } from './job.js'

/** A process costs about three seconds before its first test: it imports and boots the application. */
const BYTES_PER_JOB = 110_000

/** Files that take longest, which a run therefore begins with. */
const LONGEST = [
  'tests/services/schemathesis.spec.ts',
  'tests/services/pool.spec.ts',
  'tests/services/object_stores/storage_routes.spec.ts',
  'tests/services/object_stores/radosgw.spec.ts',
  'tests/services/object_stores/backup.spec.ts',
  'tests/services/image.spec.ts',
  'tests/services/node/sandbox.spec.ts',
  'tests/services/helm_chart.spec.ts',
  'tests/services/hubctl/records.spec.ts',
  'tests/services/console_browser.spec.ts',
  'tests/services/telemetry/event_ingest.spec.ts',
  'tests/integration/core/analysis_model.spec.ts',
  'tests/integration/records/indexes.spec.ts',
  'tests/integration/embedded_postgres.spec.ts',
  'tests/integration/outbox/relay.spec.ts',
]

/** Files that wait most of their time, for what is slow on purpose. */
const WAITING = [
  'tests/acceptance/first_start.spec.ts',
  'tests/acceptance/bootstrap.spec.ts',
  'tests/acceptance/interface/messages.spec.ts',
  'tests/acceptance/interface/messenger_switches.spec.ts',
  'tests/installations/node_presence.spec.ts',
  'tests/services/chaos.spec.ts',
  'tests/services/console_foreign_provider.spec.ts',
  'tests/services/limits.spec.ts',
  'tests/services/object_stores/upload_faults.spec.ts',
  'tests/services/lasting_requests.spec.ts',
]

/** Files that leave in their database what no test can remove, such as sealed events. */
const OWN_DATABASE = ['tests/functional/adopt_end.spec.ts']

/** Files that look at how long something takes. */
const ALONE = [
  'tests/services/identity_events.spec.ts',
  'tests/services/life.spec.ts',
  'tests/services/messenger_pool.spec.ts',
  'tests/services/oci/speed.spec.ts',
  'tests/services/shared_introspections.spec.ts',
  'tests/services/signals.spec.ts',
  'tests/services/worker/build_speed.spec.ts',
  'tests/services/worker/distribution_speed.spec.ts',
]

/**
 * Divides suites into jobs of similar duration. Slow files are jobs of their own and start first, so that a run does
 * not end with a slow one.
 */
export function jobsOf(suites: readonly TestSuite[]): Job[] {
  const jobs = suites.toReversed().flatMap((suite) => [
    ...filesOf(suite)
      .filter(hasOwnJob)
      .map((file) => ({
        suite: suite.name,
        files: [file],
        isAlone: ALONE.includes(file),
        isWaiting: WAITING.includes(file),
      })),
    ...sharesOf(suite),
  ])
  return jobs.toSorted((one, other) => jobFolder(one) - jobFolder(other))
}

/** The lower it is, the earlier a job begins. */
function jobFolder({ files: [first] }: Job): number {
  const place = LONGEST.indexOf(first!)
  if (place >= 0) {
    return place
  }
  return hasOwnJob(first!) ? LONGEST.length : LONGEST.length + 1
}

const hasOwnJob = (file: string): boolean =>
  [...LONGEST, ...WAITING, ...OWN_DATABASE].includes(file) || startsInstallations(file)

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
  const files = filesOf(suite).filter((file) => !hasOwnJob(file))
  const count = Math.ceil(files.reduce((sum, file) => sum + sizeOf(file), 0) / BYTES_PER_JOB)
  const shares = Array.from({ length: count }, () => ({ bytes: 0, files: [] as string[] }))
  for (const file of files) {
    const smallest = shares.reduce((least, share) => (share.bytes < least.bytes ? share : least))
    smallest.bytes += sizeOf(file)
    smallest.files.push(file)
  }
  return shares.map(({ files: share }) => ({ suite: suite.name, files: share }))
}
