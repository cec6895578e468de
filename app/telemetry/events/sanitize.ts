import { hasSecretName, isScalar, type Scalar } from '#records/audited_values'

interface Pair {
  readonly next: Scalar
  readonly previous: Scalar
}

const SHORT = 256

interface Data {
  readonly diff?: Record<string, Pair>
}

/**
 * Of the data of an event only the differences between plain values are kept, and none that bear the name of a secret.
 */
export function sanitized(data: unknown): Data | null {
  if (!isObject(data)) {
    return null
  }
  const { diff } = data
  return isObject(diff) ? { diff: keptPairs(diff) } : {}
}

/** The same with texts cut that are long. */
export function withShortTexts({ diff = {} }: Data): Data {
  const short = (value: Scalar) => (typeof value === 'string' ? value.slice(0, SHORT) : value)
  const pairs = Object.entries(diff).map(([name, { next, previous }]) => [
    name,
    { next: short(next), previous: short(previous) },
  ])
  return { diff: Object.fromEntries(pairs) }
}

function keptPairs(diff: Record<string, unknown>): Record<string, Pair> {
  const kept: [string, Pair][] = []
  for (const [name, entry] of Object.entries(diff)) {
    const pair = hasSecretName(name) ? undefined : pairIn(entry)
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
