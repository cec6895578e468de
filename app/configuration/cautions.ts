import type { Env } from '#start/env'
import type { Facts } from './catalogue.js'

/** Settings that are allowed and that an operator should be reminded of. */
export const cautions = [skippedApprovals, localPublicAddress]

function skippedApprovals({ values }: Facts<Env>): string[] {
  const says = {
    SKIP_PROJECT_APPROVAL: 'analyses run on nodes that never approved the project',
    SKIP_ANALYSIS_APPROVAL: 'analyses run on nodes that never approved the analysis',
  }
  return (['SKIP_PROJECT_APPROVAL', 'SKIP_ANALYSIS_APPROVAL'] as const)
    .filter((name) => values[name])
    .map((name) => `${name} is on: ${says[name]}`)
}

function localPublicAddress({ values, given }: Facts<Env>): string[] {
  if (values.NODE_ENV !== 'production' || given('PUBLIC_URL')) return []
  return [
    `PUBLIC_URL is unset: links and tokens name ${values.PUBLIC_URL}, which others cannot reach`,
  ]
}
