import type { ChangeType } from '#records/events'

/** The name of a change among those of all kinds: `nodeCreated`. */
export function fullEventName(kind: string, change: ChangeType): string {
  return kind + change[0]!.toUpperCase() + change.slice(1)
}
