import { isUuid } from '#kernel/is_uuid'
import { tryParseJson } from '#kernel/try_parse_json'
import type { SignalMessage } from '#signals/signals'
import type { Arrival } from '#messenger/mailboxes/arrivals'
import { keyOf, partyFromKey, PARTY_KINDS } from '#messenger/mailboxes/party'

/** Where processes tell each other of arrivals, those of the former platform included. */
export const WAKEUP_CHANNEL = 'messenger:wakeup'

/** What a process does not say that knows no numbers. */
export interface ArrivalSignal {
  readonly key: string
  readonly arrivals: number | undefined
}

/** Neither a kind nor a UUID has anything that JSON would write in another way. */
export function wakeupOf({ key, arrivals }: Arrival): SignalMessage {
  const { type, id } = partyFromKey(key)
  const payload = `{"recipient":{"type":"${type}","id":"${id}"},"arrivals":${arrivals}}`
  return { channel: WAKEUP_CHANNEL, payload }
}

/** What a wakeup says; undefined where it is none. */
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
