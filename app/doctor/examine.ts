import { setTimeout as delay } from 'node:timers/promises'

import { NOT_USED, type Check } from './check.js'
import { finding, type Finding, type Severity } from './finding.js'
import { reasonOf } from './reason.js'
import type { CheckContext } from './check_context.js'

interface CheckResult {
  readonly check: string
  readonly state: 'fine' | 'found' | typeof NOT_USED
  readonly ms: number
}

export interface Report {
  /** The highest severity of the findings. */
  readonly severity: Severity | 'fine'
  readonly checks: readonly CheckResult[]
  readonly findings: readonly Finding[]
}

const LIMIT_MS = 20_000
const UNAVAILABLE_CODE =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|28...|3D000|53300|57P0.|42P01|42703)$/
const UNAVAILABLE_MESSAGE =
  /^(timeout expired|timeout exceeded|Query read timeout|Connection terminated)/

/** Runs all checks concurrently. A check that fails or does not end is itself a finding. */
export async function examine(
  context: CheckContext,
  checks: readonly Check[],
  limitMs = LIMIT_MS
): Promise<Report> {
  const results = await Promise.all(checks.map((check) => runCheck(check, context, limitMs)))
  const findings = results.flatMap(({ found }) => found)
  return {
    severity: highestSeverity(findings),
    checks: results.map(({ examined }) => examined),
    findings: findings.toSorted((one, other) => rank(one) - rank(other)),
  }
}

async function runCheck(check: Check, context: CheckContext, limitMs: number) {
  const startedAt = performance.now()
  const result = await runWithTimeout(check, context, limitMs)
  const found = result === NOT_USED ? [] : result
  const state = result === NOT_USED ? NOT_USED : found.length > 0 ? 'found' : 'fine'
  const ms = Math.round(performance.now() - startedAt)
  const examined: CheckResult = { check: check.name, state, ms }
  return { examined, found }
}

async function runWithTimeout(check: Check, context: CheckContext, limitMs: number) {
  const stop = new AbortController()
  const timeout = delay(limitMs, undefined, { signal: stop.signal }).then(() => [
    finding('CHECK_HANGS', `${check.name}, after ${limitMs / 1000} s`),
  ])
  timeout.catch(() => {})
  try {
    return await Promise.race([check.run(context), timeout])
  } catch (error) {
    if (isDatabaseUnavailable(error)) {
      return NOT_USED
    }
    return [finding('CHECK_FAILED', `${check.name}, ${reasonOf(error)}`)]
  } finally {
    stop.abort()
  }
}

/** Whether a check failed because a database is unavailable or has no tables, which the database checks report. */
function isDatabaseUnavailable(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return UNAVAILABLE_CODE.test(code) || UNAVAILABLE_MESSAGE.test(message)
}

const rank = ({ severity }: Finding) => (severity === 'error' ? 0 : 1)

function highestSeverity(findings: readonly Finding[]): Report['severity'] {
  if (findings.some(({ severity }) => severity === 'error')) {
    return 'error'
  }
  return findings.length > 0 ? 'warning' : 'fine'
}
