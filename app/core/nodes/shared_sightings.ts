import { tryParseJson } from '#kernel/try_parse_json'
import type { Signals, Unsubscribe } from '#signals/signals'

/** On which processes without core publish the clients that they saw. */
const CHANNEL = 'core:sightings'

export type Sightings = ReadonlyMap<string, number>

/** Publishes when clients were last seen, to the processes of core. It may be received by no process at all. */
export function publishSightings(signals: Signals, seenAt: Sightings): Promise<void> {
  const payload = JSON.stringify(Object.fromEntries(seenAt))
  return signals.publish([{ channel: CHANNEL, payload }])
}

/** Calls the listener with the clients that other processes saw. */
export function onSightings(
  signals: Signals,
  listener: (seenAt: Sightings) => void
): Promise<Unsubscribe> {
  return signals.subscribe(CHANNEL, (payload) => {
    const seenAt: object = Object(tryParseJson(payload))
    listener(new Map(Object.entries(seenAt).filter(isSighting)))
  })
}

const isSighting = (entry: [string, unknown]): entry is [string, number] =>
  Number.isSafeInteger(entry[1])
