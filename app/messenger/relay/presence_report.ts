import { keyOf, PARTY_KINDS } from '#messenger/mailboxes/party'
import { isUuid } from '#kernel/is_uuid'
import { tryParseJson } from '#kernel/try_parse_json'

/** Numbers of sockets by `keyOf` of the party. */
export type Counts = readonly (readonly [key: string, count: number])[]

/** A report of a process about its sockets. */
export interface PresenceReport {
  readonly process: string
  /** The version that the report adds to; null if the report is full. */
  readonly after: number | null
  readonly version: number
  readonly counts: Counts
}

/** Requests full reports. */
export interface PresenceRequest {
  /** The process, or null for all. */
  readonly ask: string | null
}

/** Whether a report contains no change. */
export const isHeartbeat = ({ after, version }: PresenceReport): boolean => after === version

/** Parses a message; undefined if it is malformed, since every client of Redis can publish here. */
export function parsePresence(payload: string): PresenceReport | PresenceRequest | undefined {
  const message = (tryParseJson(payload) ?? {}) as Record<keyof PresenceReport | 'ask', unknown>
  const { process, after, version, counts, ask } = message
  if (ask === null || typeof ask === 'string') {
    return { ask }
  }
  return typeof process === 'string' &&
    (after === null || isCount(after)) &&
    isCount(version) &&
    isCounts(counts)
    ? { process, after, version, counts }
    : undefined
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

const isCounts = (value: unknown): value is Counts =>
  Array.isArray(value) &&
  value.every((pair) => Array.isArray(pair) && isKey(pair[0]) && isCount(pair[1]))

function isKey(key: unknown): boolean {
  const [kind, id] = typeof key === 'string' ? key.split(':') : []
  const type = PARTY_KINDS.find((one) => one === kind)
  return type !== undefined && isUuid(id!) && key === keyOf({ type, id: id! })
}
