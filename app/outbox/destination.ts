import type { DestinationName, Entry } from './entry.js'

/**
 * A receiver of outbox entries. Entries of the same record arrive in the order in which they were sent, even if they
 * are sent concurrently.
 */
export interface Destination {
  readonly name: DestinationName
  /** Whether a delivery can succeed now. */
  readonly isReady: boolean
  /** Resolves once the entry is durable there. An entry without a receiver may stay pending. */
  deliver(entry: Entry): Promise<void>
}
