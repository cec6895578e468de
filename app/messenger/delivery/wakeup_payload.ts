import { isUuid } from '#kernel/is_uuid'
import { tryParseJson } from '#kernel/try_parse_json'
import type { SignalMessage } from '#signals/signals'
import type { Arrival } from '#messenger/mailboxes/arrivals'
import { keyOf, partyFromKey, PARTY_KINDS } from '#messenger/mailboxes/party'

/** The Redis channel on which processes publish arrivals; the former platform uses it, too. */
export const WAKEUP_CHANNEL = 'messenger:wakeup'

/** An arrival in a mailbox. The former platform sends no number. */
export interface ArrivalSignal {
  readonly key: string
  readonly arrivals: number | undefined
}

/** Neither a kind nor a UUID contains a character that JSON escapes. */
export function wakeupOf({ key, arrivals }: Arrival): SignalMessage {
  const { type, id } = partyFromKey(key)
  const payload = `{"recipient":{"type":"${type}","id":"${id}"},"arrivals":${arrivals}}`
  return { channel: WAKEUP_CHANNEL, payload }
}

/** Parses a wakeup; undefined if the payload is malformed. */
export function parseWakeup(payload: string): ArrivalSignal | undefined {
  const { recipient, arrivals } = (tryParseJson(payload) ?? {}) as {
    recipient?: { type?: unknown; id?: unknown } | null
    arrivals?: unknown
  }
  const { type, id } = recipient ?? {}
  const kind = PARTY_KINDS.find((one) => one === type)
  if (!kind || typeof id !== 'string' || !isUuid(id)) {
    return undefined
  }
  return {
    key: keyOf({ type: kind, id: id.toLowerCase() }),
    arrivals: typeof arrivals === 'number' ? arrivals : undefined,
  }
}
