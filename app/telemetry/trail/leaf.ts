import { hash } from 'node:crypto'

/** An audit event as the API returns it, which is what is sealed. */
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
  /** Null for events from before it was recorded. */
  readonly reportedBy: unknown
}

/** The hashed fields in order, which never changes. `reportedBy` is appended if it is known. */
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

/** The hash of an event in its batch. */
export function leafOf(event: SealedEvent): Buffer {
  const values = SEALED.map((name) => event[name])
  values[DATA] = canonical(event.data)
  if (event.reportedBy !== null) {
    values.push(canonical(event.reportedBy))
  }
  return hash('sha256', JSON.stringify(values), 'buffer')
}

const canonical = (value: unknown) => (isCanonical(value) ? value : sortKeys(value))

/** The value with sorted object keys: neither the database nor programs preserve key order. */
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

/** Most values are: the platform writes them in order. */
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
