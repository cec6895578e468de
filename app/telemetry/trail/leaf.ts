import { hash } from 'node:crypto'

/** An audit event as the wire shows it: what is sealed is what everybody can read. */
export interface SealedEvent {
  readonly id: string
  readonly scope: string
  readonly name: string
  readonly refType: string
  readonly refId: string | null
  readonly data: unknown
  readonly expiring: boolean
  readonly requestPath: string | null
  readonly requestMethod: string | null
  readonly requestIpAddress: string | null
  readonly requestUserAgent: string | null
  readonly actorType: string | null
  readonly actorId: string | null
  readonly actorName: string | null
  readonly realmId: string | null
  readonly expiresAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Null for events of before it was recorded. */
  readonly reportedBy: unknown
}

/** In the order in which they are hashed, which never changes; who reported an event is behind them where that is known. */
const SEALED: readonly (keyof SealedEvent)[] = [
  'id',
  'scope',
  'name',
  'refType',
  'refId',
  'data',
  'expiring',
  'requestPath',
  'requestMethod',
  'requestIpAddress',
  'requestUserAgent',
  'actorType',
  'actorId',
  'actorName',
  'realmId',
  'expiresAt',
  'createdAt',
  'updatedAt',
]

const DATA = SEALED.indexOf('data')

/** The bytes of one leaf hash. */
export const LEAF_BYTES = 32

/**
 * The hash that stands for an event in its batch.
 */
export function leafOf(event: SealedEvent): Buffer {
  const values = SEALED.map((name) => event[name])
  values[DATA] = canonical(event.data)
  if (event.reportedBy !== null) {
    values.push(canonical(event.reportedBy))
  }
  return hash('sha256', JSON.stringify(values), 'buffer')
}

const canonical = (value: unknown) => (isCanonical(value) ? value : sortKeys(value))

/** The same value with the keys of its objects in order: neither database nor program promises to keep theirs. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sortKeys)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]))
}

/** Most are: what comes from the platform is written in order. */
function isCanonical(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return true
  }
  let before: string | undefined
  for (const [name, inner] of Object.entries(value)) {
    const isAscending = Array.isArray(value) || before === undefined || before < name
    if (!isAscending || !isCanonical(inner)) {
      return false
    }
    before = name
  }
  return true
}
