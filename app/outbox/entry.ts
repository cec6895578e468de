import type { Message } from '#bus/message'
import type { SecurityEvent } from '#audit/security_event'
import type { ChangeType } from '#records/events'
import type { Attributes } from '#records/row'
import type { Diff } from '#outbox/payloads/diff'

/** Where entries go, each with its own mark: the bit that is set in `pending` while the entry still has to go there. */
export const DESTINATIONS = { audit: 1, bus: 2, pubsub: 4, sockets: 8, commands: 16 } as const

export type DestinationName = keyof typeof DESTINATIONS

/** Who did something and from where, as far as the audit trail keeps it. */
export interface ActorContext {
  readonly actor?: { readonly type: string; readonly id: string; readonly name: string | null }
  readonly address?: string
  readonly userAgent?: string
  readonly method?: string
  readonly path?: string
}

/** A change of a record, without anything secret. */
export interface ChangeContent {
  readonly kind: string
  readonly change: ChangeType
  readonly id: string
  /** The realm the change is filed under. */
  readonly realmId: string | null
  /** The realms that receive it. */
  readonly realms: readonly string[]
  /** The record as it is now, or was before it was deleted. */
  readonly data: Attributes
  /** What an update changed. */
  readonly diff?: Diff
  /** Whether the audit trail keeps it for good. */
  readonly isLasting?: true
  readonly doer: ActorContext
}

export interface SecurityContent {
  readonly event: SecurityEvent['type']
  readonly subject: string
  readonly id: string | null
  readonly realmId: string | null
  readonly count?: number
  readonly doer: ActorContext
}

/** A command that waits. Its secrets were taken out of it, and stand sealed beside it until it leaves. */
export interface PendingCommand {
  readonly command: Message
  readonly secrets?: string
}

export type Content =
  { readonly change: ChangeContent } | { readonly security: SecurityContent } | PendingCommand

/** One row of the outbox: what happened, and where that still has to be told. */
export interface Entry {
  readonly position: number
  /** The same however often the entry is sent. */
  readonly messageId: string
  /** Milliseconds since the epoch. */
  readonly writtenAt: number
  readonly pending: number
  /** Entries with the same one reach a destination in the order they were written. */
  readonly orderedBy: string
  /** The queue of a command. */
  readonly queue: string | null
  readonly content: Content
}
