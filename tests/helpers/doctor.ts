import { ALL_CHECKS } from '#doctor/all_checks'
import type { Check } from '#doctor/check'
import { examine, type Report } from '#doctor/examine'
import { CATALOGUE, type Code } from '#doctor/finding'
import { CheckContext } from '#doctor/check_context'
import { SURFACE_NAMES, type SurfaceName } from '#configuration/surfaces'
import type { Env } from '#configuration/variables'
import { env } from '#start/env'

const MIGRATIONS = new URL('../../database/migrations/', import.meta.url)

interface Patient {
  readonly env?: Partial<Env>
  readonly url?: string
  readonly surfaces?: readonly SurfaceName[]
  readonly queues?: readonly string[]
  readonly checks?: readonly Check[]
  readonly limitMs?: number
  readonly secretsInEnvironment?: readonly string[]
}

/** A healthy installation with changes by a test, examined by all or some checks. */
export async function examined({
  env: given = {},
  url = process.env.DATABASE_URL!,
  surfaces = SURFACE_NAMES,
  queues = [],
  checks = ALL_CHECKS,
  limitMs,
  secretsInEnvironment = [],
}: Patient): Promise<Report> {
  const surroundings = new CheckContext({
    env: { ...env, ...given },
    surfaces,
    addressOf: () => url,
    queues,
    migrations: MIGRATIONS,
    secretsInEnvironment,
  })
  try {
    return await examine(surroundings, checks, limitMs)
  } finally {
    await surroundings.close()
  }
}

/** The distinct codes of findings; each finding must have a remedy. */
export async function found(patient: Patient): Promise<Code[]> {
  const { findings } = await examined(patient)
  for (const { code, message, remedy } of findings) {
    if (!message || remedy !== CATALOGUE[code].remedy) {
      throw new Error(`${code} says nothing of what to do`)
    }
  }
  return [...new Set(findings.map(({ code }) => code))].toSorted()
}
