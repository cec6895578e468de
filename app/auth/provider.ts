import type pg from 'pg'

import type { Actor } from '#kernel/actor'
import type { NewClient, RecordClients } from './record_clients.js'
import type { Origin } from '#kernel/origin'

/**
 * What the platform needs from an identity provider. The embedded provider and the clients of external ones implement
 * it and pass the same tests. Other code does not distinguish them.
 */
export abstract class IdentityProvider {
  /** Resolves when the capabilities of the provider are known. Throws if they cannot be determined now. */
  abstract whenReady(): Promise<void>
  /** Throws with the reason if tokens cannot be introspected now. */
  abstract requireWorking(): Promise<void>
  /** Introspects a token; undefined if it is not active. */
  abstract introspect(token: string): Promise<Introspection | undefined>
  /** The public keys and the issuers of its tokens. */
  abstract metadata(): Promise<ProviderMetadata>
  /** An access token for calls of the platform itself. */
  abstract ownToken(): Promise<string>

  /**
   * Like `introspect`, for an expired token: the access of its account while the session lasts. Absent if the provider
   * cannot tell.
   */
  introspectExpired?(token: string): Promise<AccessState | undefined>
  /**
   * Prepares `introspectExpired` while a token with these permissions is valid. Absent if the provider needs no
   * preparation.
   */
  observeToken?(token: string, permissions: ReadonlySet<string>): Promise<void>
  /**
   * Notifies of changed or ended access, with the id of an account, session or token, or `EVERYBODY`. Absent if the
   * provider has no such events. Returns a function that unsubscribes.
   */
  onAccessChange?(listener: (id: string) => void): Promise<() => Promise<void>>

  /** The clients that nodes and analyses log in with; undefined if the provider has none for others. */
  abstract readonly clients: ClientDirectory | undefined
  /** Creates clients of records in the transaction of the record, if both are in the same database. */
  recordClientsFor?(pool: pg.Pool): RecordClients | undefined
  /** The realms and users, to clean up after deleted ones; undefined if the provider does not list them. */
  abstract readonly people: PeopleDirectory | undefined

  /**
   * Notifies of changes of realms, users and clients, as far as the provider publishes them. Returns a function that
   * unsubscribes.
   */
  abstract onChange(listener: (change: ProviderChange) => void): Promise<() => Promise<void>>
  abstract close(): Promise<void>
}

/** Matches all ids. */
export const ALL_IDS = ''

/** The current access of a user or client. `as before` if the provider does not list permissions. */
export interface AccessState {
  readonly permissions: readonly { readonly name: string }[] | 'as before'
  /** Whether the token belongs to a session, if that was not known before. */
  readonly hasSession?: boolean
}

/** The claims of an introspection response (RFC 7662). */
export interface Introspection {
  readonly active: true
  readonly sub: string
  readonly sub_kind: 'user' | 'client' | 'robot'
  readonly sub_name: string | null
  readonly realm_id: string | null
  readonly realm_name: string | null
  readonly client_id: string | null
  readonly scope: string
  /** Global permissions only, without those defined by a realm or a client. */
  readonly permissions: readonly { readonly name: string }[]
  /** Seconds since 1970. */
  readonly exp: number
  /** The session of the token, if the provider can check that. */
  readonly sid?: string
  readonly jti?: string
}

export interface ProviderMetadata {
  readonly issuers: readonly string[] | 'any'
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

export interface ProviderClient {
  readonly id: string
  readonly name: string
  readonly displayName: string | null
  readonly realmId: string
  /** Whether it is enabled, if the provider reports that. */
  readonly active?: boolean
  /** Whether it needs a secret, if the provider reports that. */
  readonly isConfidential?: boolean
  /** Only if requested. */
  readonly secret?: string | null
}

export interface ProviderPermission {
  readonly id: string
  readonly name: string
  /** Set for permissions defined by a realm or a client. */
  readonly realmId?: string | null
  readonly clientId?: string | null
}

export interface ClientPermission {
  readonly id: string
  readonly clientId: string
  readonly permissionId: string
  readonly permission: ProviderPermission
}

/**
 * Every call may fail with `IdentityUnavailable`. Missing records are undefined and can be removed again. With
 * `within`, the embedded provider throws `PermissionDenied` for a client with more permissions than that actor; an
 * external one only knows the platform.
 */
export interface ClientDirectory {
  /**
   * Idempotent by name: returns an existing client of that name and realm unchanged. Throws `BadRequest` if the
   * provider rejects the name or the realm.
   */
  create(client: NewClient): Promise<ProviderClient>
  read(
    id: string,
    options?: { secret?: boolean; within?: Actor }
  ): Promise<ProviderClient | undefined>
  /** Finds a client by name in a realm, or else in any. */
  findByName(name: string, realmId?: string): Promise<ProviderClient | undefined>
  /** Sets a secret and optionally names. Throws `EntityConflict` if a name is in use, `BadRequest` if it is invalid. */
  rotate(
    id: string,
    change: { secret: string; name?: string; displayName?: string },
    within?: Actor
  ): Promise<ProviderClient | undefined>
  /** Sets the display name. Does nothing if the client was deleted. */
  setDisplayName(id: string, displayName: string): Promise<void>
  remove(id: string): Promise<void>
  /** Throws for a client with more permissions than the actor, if the provider can tell. */
  requireWithin?(id: string, within: Actor): Promise<void>

  permissionsOf(clientId: string): Promise<readonly ClientPermission[]>
  /** Finds a global permission, not one of the same name defined by a realm or a client. */
  permission(idOrName: string): Promise<ProviderPermission | undefined>
  /** Grants and revokes a permission on behalf of an actor, or else as the platform. */
  grant(
    clientId: string,
    permissionId: string,
    by?: Origin,
    within?: Actor
  ): Promise<ClientPermission>
  revoke(clientPermissionId: string, by?: Origin, within?: Actor): Promise<void>
  /** Whether the provider records these changes in the platform's audit trail, with the actor. */
  readonly recordsAudit: boolean
}

export interface PeopleDirectory {
  /** Whether the lists are complete: no record can be hidden from the platform. */
  readonly showsEverybody: boolean
  realmIds(): Promise<ReadonlySet<string>>
  /** All visible users by id, each with its realm. */
  users(): Promise<ReadonlyMap<string, string | null>>
  /** Looks up a single record. Throws if the platform may not read it. */
  hasRealm(id: string): Promise<boolean>
  hasUser(id: string): Promise<boolean>
}

export interface ProviderChange {
  readonly type: 'realm' | 'user' | 'client'
  readonly event: 'created' | 'updated' | 'deleted'
  readonly data: { readonly id: string; readonly name?: string; readonly realmId?: string | null }
}
