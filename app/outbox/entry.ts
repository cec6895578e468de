import type { Message } from '#bus/message'
import type { SecurityEvent } from '#audit/security_event'
import type { ChangeType } from '#records/events'
import type { Attributes } from '#records/row'
import type { Diff } from '#outbox/payloads/diff'

/** The destinations of entries, each with its bit in `pending`, which is set until the entry has arrived there. */
export const DESTINATIONS = { audit: 1, bus: 2, pubsub: 4, sockets: 8, commands: 16 } as const

export type DestinationName = keyof typeof DESTINATIONS

/** Who acted and from where, as the audit trail records it. */
export interface ActorContext {
  readonly actor?: { readonly type: string; readonly id: string; readonly name: string | null }
  readonly address?: string
  readonly userAgent?: string
  readonly method?: string
  readonly path?: string
}

/** A change of a record, without secrets. */
export interface ChangeContent {
  readonly kind: string
  readonly change: ChangeType
  readonly id: string
  /** The realm that owns the record. */
  readonly realmId: string | null
  /** The realms that receive the change. */
  readonly realms: readonly string[]
  /** The record after the change, or before its deletion. */
  readonly data: Attributes
  /** The attributes that an update changed. */
  readonly diff?: Diff
  /** Whether the audit trail retains the change permanently. */
  readonly isLasting?: true
  readonly doer: ActorContext
}

export interface SecurityContent {
  readonly event: SecurityEvent['type']
  readonly subject: string
  readonly id: string | null
  readonly realmId: string | null
  readonly count?: number
  readonly facts?: SecurityEvent['facts']
  readonly doer: ActorContext
}

/** A pending command. Its secrets are stored separately, sealed, until it is sent. */
export interface PendingCommand {
  readonly command: Message
  readonly secrets?: string
}

/** The trace in which an entry was written, as W3C `traceparent`, if it is recorded. */
interface TracedContent {
  readonly traceparent?: string
}

export type Content = TracedContent &
  ({ readonly change: ChangeContent } | { readonly security: SecurityContent } | PendingCommand)

/** One row of the outbox: what happened, and its pending destinations. */
export interface Entry {
  readonly position: number
  /** The same for each delivery of the entry. */
  readonly messageId: string
  /** Milliseconds since the epoch. */
  readonly writtenAt: number
  readonly pending: number
  /** Entries with the same value reach each destination in order. */
  readonly orderedBy: string
  /** The queue of a command; null for events. */
  readonly queue: string | null
  readonly content: Content
}
