import type { DestinationName, Entry } from './entry.js'

/**
 * One of the places that are told what happened. Entries that are handed in one after the other for the same record arrive
 * in that order, though the second is handed in before the first has arrived.
 */
export interface Destination {
  readonly name: DestinationName
  /** Whether it is worth trying now. */
  readonly isReady: boolean
  /** Resolves once the entry is safe there. One without a receiver may stay pending. */
  deliver(entry: Entry): Promise<void>
}
