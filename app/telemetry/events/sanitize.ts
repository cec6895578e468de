import { bearsSecretName, isScalar, type Scalar } from '#records/audited_values'

interface Pair {
  readonly next: Scalar
  readonly previous: Scalar
}

/**
 * Of the data of an event only the differences between plain values are kept, and none that bear the name of a secret.
 */
export function sanitized(data: unknown): { diff?: Record<string, Pair> } | null {
  if (!isObject(data)) {
    return null
  }
  const { diff } = data
  return isObject(diff) ? { diff: keptPairs(diff) } : {}
}

function keptPairs(diff: Record<string, unknown>): Record<string, Pair> {
  const kept: [string, Pair][] = []
  for (const [name, entry] of Object.entries(diff)) {
    const pair = bearsSecretName(name) ? undefined : pairIn(entry)
    if (pair) {
      kept.push([name, pair])
    }
  }
  return Object.fromEntries(kept)
}

function pairIn(entry: unknown): Pair | undefined {
  if (!isObject(entry)) {
    return undefined
  }
  const { next, previous } = entry
  return isScalar(next) && isScalar(previous) ? { next, previous } : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
