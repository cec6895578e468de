import type pg from 'pg'

import type { Actor } from '#http/actor'
import { eventSink } from '#records/event_sink'
import type { Origin } from '#records/events'
import { clock } from '#runtime/clock'

export type SecurityEventName =
  'signInFailed' | 'signInsBlocked' | 'refreshTokenReused' | 'authorizationCodeReused'

/** Where a sign-in comes from. */
export interface Source {
  readonly requestId: string
  readonly address: string
  readonly userAgent: string | undefined
}

export interface SecurityEvent {
  readonly name: SecurityEventName
  /** Whose login it is about; undefined where nobody has that name, and the name is not kept: it may be a password. */
  readonly account: { kind: 'user' | 'client'; id: string; realmId: string } | undefined
}

const NOBODY: Actor = {
  kind: 'user',
  id: '00000000-0000-0000-0000-000000000000',
  name: null,
  realmId: null,
  realmName: null,
  clientId: null,
  permissions: new Set(),
  expiresAt: 0,
}

/**
 * Tells what happened around logins to whoever listens to changes, as a record of the kind `signIn`. It is kept with the
 * transaction, and holds nothing that was sent.
 */
export async function recordSecurityEvent(
  transaction: pg.ClientBase,
  { name, account }: SecurityEvent,
  source: Source
): Promise<void> {
  const id = clock.uuid()
  const origin: Origin = { actor: NOBODY, ...source }
  await eventSink.record(transaction, {
    kind: 'signIn',
    type: 'created',
    id,
    realmId: account?.realmId ?? null,
    origin,
    previous: undefined,
    next: {
      id,
      name,
      accountType: account?.kind ?? null,
      accountId: account?.id ?? null,
      realmId: account?.realmId ?? null,
    },
  })
}
