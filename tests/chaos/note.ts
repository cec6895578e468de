/** One change of a record, as an observer has come to know of it. */
export interface Note {
  readonly record: string
  readonly change: string
  /** Names the change among those of its record. */
  readonly label: string
}

export function keyOf({ record, change, label }: Note): string {
  return `${record} ${change} ${label}`
}
