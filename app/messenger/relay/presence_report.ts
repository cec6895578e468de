import { keyOf, PARTY_KINDS } from '#messenger/mailboxes/party'
import { isUuid } from '#kernel/is_uuid'
import { tryParseJson } from '#kernel/try_parse_json'

/** How many sockets each of some parties has in a process, by `keyOf`. */
export type Counts = readonly (readonly [key: string, count: number])[]

/** What a process says of its sockets. */
export interface PresenceReport {
  readonly process: string
  /** How many reports came before those that this one adds to; null where it says everything. */
  readonly after: number | null
  readonly version: number
  readonly counts: Counts
}

/** Asks processes to say everything. */
export interface PresenceRequest {
  /** Null for all of them. */
  readonly ask: string | null
}

/** Nothing new: the process is still there. */
export const isHeartbeat = ({ after, version }: PresenceReport): boolean => after === version

/** What was said; undefined where it is something else, since every program that reaches Redis can write there. */
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
