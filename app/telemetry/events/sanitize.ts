import { hasSecretName, isScalar, type Scalar } from '#records/audited_values'

interface Pair {
  readonly next: Scalar
  readonly previous: Scalar
}

const MAX_TEXT_LENGTH = 256

interface EventData {
  readonly diff?: Record<string, Pair>
}

/**
 * Reduces the data of an event to its differences between plain values, without those that are named like secrets.
 */
export function sanitized(data: unknown): EventData | null {
  if (!isObject(data)) {
    return null
  }
  const { diff } = data
  return isObject(diff) ? { diff: safePairs(diff) } : {}
}

/** The same with long texts truncated. */
export function withShortTexts({ diff = {} }: EventData): EventData {
  const short = (value: Scalar) =>
    typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : value
  const pairs = Object.entries(diff).map(([name, { next, previous }]) => [
    name,
    { next: short(next), previous: short(previous) },
  ])
  return { diff: Object.fromEntries(pairs) }
}

function safePairs(diff: Record<string, unknown>): Record<string, Pair> {
  const pairs: [string, Pair][] = []
  for (const [name, entry] of Object.entries(diff)) {
    const pair = hasSecretName(name) ? undefined : parsePair(entry)
    if (pair) {
      pairs.push([name, pair])
    }
  }
  return Object.fromEntries(pairs)
}

function parsePair(entry: unknown): Pair | undefined {
  if (!isObject(entry)) {
    return undefined
  }
  const { next, previous } = entry
  return isScalar(next) && isScalar(previous) ? { next, previous } : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
