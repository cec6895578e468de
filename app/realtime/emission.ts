/** One event for the sockets in a room, or in one of several. */
export interface Emission {
  /** `/resources`, or `/resources/<realmId>` for those who belong to a realm. */
  readonly namespace: string
  readonly room: string | string[]
  /** The one socket that is not told. */
  readonly except?: string
  readonly event: string
  readonly payload: unknown
}

/**
 * What carries events to sockets, be they connected here or elsewhere. Rejects where that does not work now.
 */
export interface Emitter {
  emit(emissions: readonly Emission[]): Promise<void>
}

interface Sockets {
  to(room: string | string[]): {
    except(sockets: string | string[]): { emit(event: string, payload: unknown): unknown }
  }
}

/** Tells those sockets of a namespace that an emission is for. */
export function emitTo(sockets: Sockets, { room, except, event, payload }: Emission): void {
  sockets
    .to(room)
    .except(except ?? [])
    .emit(event, payload)
}
