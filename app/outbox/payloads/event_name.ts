import type { ChangeType } from '#records/events'

/** The qualified name of a change, such as `nodeCreated`. */
export function fullEventName(kind: string, change: ChangeType): string {
  return kind + change[0]!.toUpperCase() + change.slice(1)
}
