import type pg from 'pg'

import type { Actor } from '#kernel/actor'
import type { NewClient, RecordClients } from './record_clients.js'
import type { Origin } from '#kernel/origin'

/**
 * What the platform needs of an identity provider. The embedded provider and the client of an external one both offer it
 * and pass the same tests; nothing else in the platform knows which of them is there.
 */
export interface IdentityProvider {
  /** Returns once it is known what the provider offers; throws where that cannot be found out now. */
  whenReady(): Promise<void>
  /** Throws where the provider cannot be asked about tokens now, and says why. */
  requireWorking(): Promise<void>
  /** What the provider says of a token now; undefined where it is not, or no longer, one that may be used. */
  introspect(token: string): Promise<Introspection | undefined>
  /** The public keys its tokens are signed with, and who it says it is. */
  metadata(): Promise<ProviderMetadata>
  /** A token for calls the platform makes itself. */
  ownToken(): Promise<string>

  /**
   * As `introspect`, of a token that is over by now: what holds while the session it came from goes on. Not there where the
   * provider cannot tell.
   */
  introspectExpired?(token: string): Promise<AccessState | undefined>
  /**
   * Sees while a token is good, and lets its bearer do so much, what `introspectEnded` will be answered by. Not there where the
   * provider needs no such preparation.
   */
  observeToken?(token: string, permissions: ReadonlySet<string>): Promise<void>
  /**
   * Tells at once of those who may do something else than before, or nothing any more: the id of a user or client, of a session or a
   * token, or `EVERYBODY`. Not there where nobody is told. Answers how to stop.
   */
  onAccessChange?(listener: (whose: string) => void): Promise<() => Promise<void>>

  /** Clients are what nodes and analyses log in with; undefined where the provider keeps none for others. */
  readonly clients: ClientDirectory | undefined
  /** How records get their clients where the provider keeps them in the same database, so that one transaction has both. */
  recordClientsFor?(pool: pg.Pool): RecordClients | undefined
  /** Who exists, for cleaning up after those who do not any more; undefined where the provider does not tell. */
  readonly people: PeopleDirectory | undefined

  /** Tells of realms, users and clients that come, change and go, as far as the provider does. Answers how to stop. */
  onChange(listener: (change: ProviderChange) => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Stands for all ids. */
export const EVERYBODY = ''

/** What a user or client may do now; as before where the provider says nothing of permissions. */
export interface AccessState {
  readonly permissions: readonly { readonly name: string }[] | 'as before'
  /** Whether that was asked of a session, where it was not known before that the token has one. */
  readonly hasSession?: boolean
}

/** The claims of a token as providers spell them. */
export interface Introspection {
  readonly active: true
  readonly sub: string
  readonly sub_kind: 'user' | 'client' | 'robot'
  readonly sub_name: string | null
  readonly realm_id: string | null
  readonly realm_name: string | null
  readonly client_id: string | null
  readonly scope: string
  /** Those that hold everywhere: what a realm or a client made for itself is left out. */
  readonly permissions: readonly { readonly name: string }[]
  /** Seconds since 1970. */
  readonly exp: number
  /** The session it came from, where the provider can be asked about that. */
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
  /** Whether it may be used, as far as the provider says. */
  readonly active?: boolean
  /** Whether it has to show a secret, as far as the provider says. */
  readonly isConfidential?: boolean
  /** Only where it was asked for. */
  readonly secret?: string | null
}

export interface ProviderPermission {
  readonly id: string
  readonly name: string
  /** Where a realm or a client made it for itself. */
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
 * Every call may fail with `IdentityUnavailable`. What is not there is undefined, or already gone. Where it is said `within` whose
 * reach something is done, the embedded provider throws `PermissionDenied` for a client that may do more than that; one elsewhere
 * knows the platform only.
 */
export interface ClientDirectory {
  /**
   * Idempotent by name: a client of that name and realm is answered as it is. Throws `BadRequest` where the provider takes
   * the name or the realm for wrong.
   */
  create(client: NewClient): Promise<ProviderClient>
  read(
    id: string,
    options?: { secret?: boolean; within?: Actor }
  ): Promise<ProviderClient | undefined>
  /** The client of that name in a realm, or else in any. */
  findByName(name: string, realmId?: string): Promise<ProviderClient | undefined>
  /** Sets a secret (and names, where given). Throws `EntityConflict` where a name is taken, `BadRequest` where it is wrong. */
  rotate(
    id: string,
    change: { secret: string; name?: string; displayName?: string },
    within?: Actor
  ): Promise<ProviderClient | undefined>
  /** Sets what people know it by. What is gone meanwhile needs none. */
  setDisplayName(id: string, displayName: string): Promise<void>
  remove(id: string): Promise<void>
  /** Throws for a client that may do more than an actor, where the provider can tell. */
  requireWithin?(id: string, within: Actor): Promise<void>

  permissionsOf(clientId: string): Promise<readonly ClientPermission[]>
  /** One that holds everywhere; what a realm or a client made for itself under the same name is another thing. */
  permission(idOrName: string): Promise<ProviderPermission | undefined>
  /** Gives a permission and takes it away, for an actor or else for the platform itself. */
  grant(
    clientId: string,
    permissionId: string,
    by?: Origin,
    within?: Actor
  ): Promise<ClientPermission>
  revoke(clientPermissionId: string, by?: Origin, within?: Actor): Promise<void>
  /** Whether those changes are in our audit trail without our doing, with the actor they were made for. */
  readonly recordsAudit: boolean
}

export interface PeopleDirectory {
  /** Whether nobody can be hidden from the platform. */
  readonly showsEverybody: boolean
  realmIds(): Promise<ReadonlySet<string>>
  /** Everybody the platform is shown, by id, with the realm of each. */
  users(): Promise<ReadonlyMap<string, string | null>>
  /** Asks for the one record. Throws where the platform may not know. */
  hasRealm(id: string): Promise<boolean>
  hasUser(id: string): Promise<boolean>
}

export interface ProviderChange {
  readonly type: 'realm' | 'user' | 'client'
  readonly event: 'created' | 'updated' | 'deleted'
  readonly data: { readonly id: string; readonly name?: string; readonly realmId?: string | null }
}
