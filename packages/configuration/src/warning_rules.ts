import type { Env } from './variables.js'
import type { Facts } from './catalogue.js'

/** Warnings about valid but risky settings. */
export const warningRules = [
  skippedApprovals,
  localPublicAddress,
  openBuckets,
  unknownParticipants,
  unknownBuckets,
]

function skippedApprovals({ values }: Facts<Env>): string[] {
  const consequences = {
    SKIP_PROJECT_APPROVAL: 'analyses run on nodes that never approved the project',
    SKIP_ANALYSIS_APPROVAL: 'analyses run on nodes that never approved the analysis',
  }
  return (['SKIP_PROJECT_APPROVAL', 'SKIP_ANALYSIS_APPROVAL'] as const)
    .filter((name) => values[name])
    .map((name) => `${name} is on: ${consequences[name]}`)
}

function localPublicAddress({ values, isGiven: given }: Facts<Env>): string[] {
  if (values.NODE_ENV !== 'production' || given('PUBLIC_URL')) {
    return []
  }
  return [
    `PUBLIC_URL is unset: links and tokens use ${values.PUBLIC_URL}, which other machines cannot reach`,
  ]
}

function openBuckets({ values }: Facts<Env>): string[] {
  if (values.STORAGE_STRICT_REALM || !values.SURFACES.includes('storage')) {
    return []
  }
  return [
    'STORAGE_STRICT_REALM is off: clients and robots of every realm can access the buckets of all realms',
  ]
}

function unknownParticipants({ values, isGiven: given }: Facts<Env>): string[] {
  const { SURFACES, STORAGE_STRICT_REALM } = values
  const isAlone = SURFACES.includes('storage') && !SURFACES.includes('core')
  if (!isAlone || !STORAGE_STRICT_REALM || given('CORE_URL')) {
    return []
  }
  return [
    'CORE_URL is unset: storage cannot read the participants of an analysis, so nodes of other realms cannot access its buckets',
  ]
}

function unknownBuckets({ values, isGiven: given }: Facts<Env>): string[] {
  const { SURFACES } = values
  const isAlone = SURFACES.includes('core') && !SURFACES.includes('storage')
  if (!isAlone || given('STORAGE_URL')) {
    return []
  }
  return [
    'STORAGE_URL is unset: core cannot read the realm of a bucket, so analyses can use buckets of other realms',
  ]
}
