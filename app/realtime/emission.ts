/** One event for the sockets in a room, or in one of several rooms. */
export interface Emission {
  /** `/resources`, or `/resources/<realmId>` for the members of a realm. */
  readonly namespace: string
  readonly room: string | string[]
  /** A socket that does not receive the event. */
  readonly except?: string
  readonly event: string
  readonly payload: unknown
}

/** Delivers events to sockets of this and other processes. Rejects if that is not possible now. */
export interface Emitter {
  emit(emissions: readonly Emission[]): Promise<void>
}

interface Sockets {
  to(room: string | string[]): {
    except(sockets: string | string[]): { emit(event: string, payload: unknown): unknown }
  }
}

/** Emits to the sockets of a namespace. */
export function emitTo(sockets: Sockets, { room, except, event, payload }: Emission): void {
  sockets
    .to(room)
    .except(except ?? [])
    .emit(event, payload)
}
