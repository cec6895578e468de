import type { TestSuite } from '@japa/runner/types'

import { mountedAs, type Mounting } from '#tests/helpers/application'

/** Suites that need nothing but this repository; what a plain run consists of. */
const SELF_CONTAINED = ['unit', 'functional', 'functional alone', 'acceptance']

/**
 * `functional` runs twice: over all surfaces on one port, and over each surface alone at the root of its own.
 */
export const SUITES: TestSuite[] = [
  { name: 'unit', files: 'tests/unit/**/*.spec.ts' },
  functional('functional', 'together'),
  functional('functional alone', 'alone'),
  { name: 'acceptance', files: 'tests/acceptance/**/*.spec.ts', timeout: 120_000 },
  { name: 'services', files: 'tests/services/**/*.spec.ts', timeout: 180_000 },
]

function functional(name: string, mounting: Mounting): TestSuite {
  return {
    name,
    files: 'tests/functional/**/*.spec.ts',
    configure(suite) {
      suite.setup(() => mountedAs(mounting))
      suite.setup(async () => (await import('#tests/helpers/conformance')).checkEveryAnswer())
    },
  }
}

/**
 * Splits the arguments of a test run into suites and the runner's own flags.
 */
export function suitesAskedFor(args: readonly string[]): { names: string[]; flags: string[] } {
  const known = new Set(SUITES.map(({ name }) => name))
  const names = args.filter((arg) => known.has(arg))
  const flags = args.filter((arg) => !known.has(arg))
  return { names: names.length > 0 ? names : SELF_CONTAINED, flags }
}
