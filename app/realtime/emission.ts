/** One event for the sockets in a room. */
export interface Emission {
  /** `/resources`, or `/resources/<realmId>` for those who belong to a realm. */
  readonly namespace: string
  readonly room: string
  readonly event: string
  readonly payload: unknown
}

/**
 * What carries events to sockets, be they connected here or elsewhere. Rejects where that does not work now.
 */
export interface Emitter {
  emit(emissions: readonly Emission[]): Promise<void>
}
