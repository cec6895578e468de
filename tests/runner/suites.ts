import type { TestSuite } from '@japa/runner/types'

import { mountedAs, type Mounting } from '#tests/helpers/application'

/** Suites of which nothing touches a database. */
const WITHOUT_DATABASE = new Set(['unit'])

/** What a plain run consists of: all that needs nothing but this repository. */
const SELF_CONTAINED = [
  'unit',
  'integration',
  'functional',
  'without relay',
  'alone sample',
  'acceptance',
]

/** Where it matters most how a surface is mounted: addresses, headers, documents, sockets, cookies, access. */
const SAMPLE_ALONE = [
  'authentication',
  'error_envelope',
  'http_base',
  'openapi',
  'realtime',
  'records',
  'identity/authorize',
  'identity/login_page',
  'storage/access',
  'storage/resumable',
].map((file) => `tests/functional/${file}.spec.ts`)

/** What messenger does with and without sockets: all but the tests of the relay itself. */
const WITHOUT_RELAY = ['messages', 'waiting', 'expired', 'endings', 'sealed'].map(
  (file) => `tests/functional/messenger/${file}.spec.ts`
)

/**
 * Functional tests run over all surfaces on one port, and again over each surface on its own port; a plain run takes
 * a sample of the latter.
 */
export const SUITES: TestSuite[] = [
  { name: 'unit', files: 'tests/unit/**/*.spec.ts' },
  { name: 'integration', files: 'tests/integration/**/*.spec.ts' },
  functional('functional', 'together'),
  functional('functional alone', 'alone'),
  { ...functional('alone sample', 'alone'), files: SAMPLE_ALONE },
  { ...functional('without relay', 'together', { relay: false }), files: WITHOUT_RELAY },
  { name: 'acceptance', files: 'tests/acceptance/**/*.spec.ts', timeout: 600_000 },
  { name: 'installations', files: 'tests/installations/**/*.spec.ts', timeout: 600_000 },
  { name: 'services', files: 'tests/services/**/*.spec.ts', timeout: 600_000 },
]

export const needsDatabase = (suites: readonly string[]): boolean =>
  suites.some((name) => !WITHOUT_DATABASE.has(name))

/** Suites that start the program as it is built. */
const STARTING_PROGRAMS = new Set(['acceptance', 'installations', 'services'])

export const needsBuild = (suites: readonly string[]): boolean =>
  suites.some((name) => STARTING_PROGRAMS.has(name))

export const needsServers = (suites: readonly string[]): boolean => suites.includes('services')

function functional(
  name: string,
  mounting: Mounting,
  switches: Parameters<typeof mountedAs>[1] = {}
): TestSuite {
  return {
    name,
    files: 'tests/functional/**/*.spec.ts',
    configure(suite) {
      suite.setup(() => mountedAs(mounting, switches))
      suite.setup(async () => (await import('#tests/helpers/conformance')).checkEveryAnswer())
    },
  }
}

/**
 * Splits the arguments of a test run into suites and the runner's own flags.
 */
export function parseSuites(args: readonly string[]): { names: string[]; flags: string[] } {
  const known = new Set(SUITES.map(({ name }) => name))
  const names = args.filter((arg) => known.has(arg))
  const flags = args.filter((arg) => !known.has(arg))
  return { names: names.length > 0 ? names : SELF_CONTAINED, flags }
}
