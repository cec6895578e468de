import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { identityPool } from './database.js'
import type {
  IdentityProvider,
  Introspection,
  PeopleDirectory,
  ProviderChange,
  ProviderMetadata,
  AccessState,
} from '#auth/provider'
import type { RecordClients } from '#auth/record_clients'
import { clock } from '#kernel/clock'
import { isUuid } from '#kernel/is_uuid'
import { changeListener } from './change_notifications.js'
import { EmbeddedRecordClients } from './embedded_record_clients.js'
import { EmbeddedClients } from './embedded_clients.js'
import { signingKeys } from '#identity/embedded/keys/signing_keys'
import { subscribeToAccessChanges } from './access_changes.js'
import { platformClient } from './platform_origin.js'
import { grantedScope } from '#identity/embedded/oauth/scopes'
import { introspect, introspectExpired } from '#identity/embedded/tokens/introspect'
import { clientToken } from '#identity/embedded/tokens/issue'
import { Realm } from '#identity/realms/realm'
import { User } from '#identity/users/user'

const RENEWED_BEFORE_MS = 60_000

/**
 * The built-in provider, called in process. The routes in `endpoints` use the same tables, so any number of processes
 * can serve either.
 */
@inject()
export class EmbeddedProvider implements IdentityProvider {
  readonly clients: EmbeddedClients
  readonly people: PeopleDirectory = {
    showsEverybody: true,
    realmIds,
    users,
    hasRealm: async (id) => isUuid(id) && (await Realm.find(id)) !== null,
    hasUser: async (id) => isUuid(id) && (await User.find(id)) !== null,
  }
  readonly #recordClients: EmbeddedRecordClients
  readonly #subscriptions = new Set<() => Promise<void>>()
  #ownToken: { token: string; until: number } | undefined

  constructor(clients: EmbeddedClients, recordClients: EmbeddedRecordClients) {
    this.clients = clients
    this.#recordClients = recordClients
  }

  async whenReady(): Promise<void> {}

  async requireWorking(): Promise<void> {
    await signingKeys().published()
  }

  async introspect(token: string): Promise<Introspection | undefined> {
    const live = await introspect(token)
    if (!live) {
      this.#discard(token)
      return undefined
    }
    const { claims, name, permissions } = live
    return {
      active: true,
      sub: claims.sub,
      sub_kind: claims.sub_kind,
      sub_name: name,
      realm_id: claims.realm_id,
      realm_name: claims.realm_name,
      client_id: claims.client_id ?? null,
      scope: claims.scope,
      permissions,
      exp: claims.exp,
      jti: claims.jti,
      ...(claims.sid !== undefined && { sid: claims.sid }),
    }
  }

  introspectExpired(token: string): Promise<AccessState | undefined> {
    return introspectExpired(token)
  }

  /** Issuers are not listed: every realm has its own, and introspection checks them. */
  async metadata(): Promise<ProviderMetadata> {
    const keys = await signingKeys().published()
    return { issuers: 'any', keys: keys as ProviderMetadata['keys'] }
  }

  recordClientsFor(pool: pg.Pool): RecordClients | undefined {
    return pool === identityPool() ? this.#recordClients : undefined
  }

  async ownToken(): Promise<string> {
    if (!this.#ownToken || clock.now() >= this.#ownToken.until) {
      const issued = await clientToken(await platformClient(), grantedScope(undefined))
      const until = clock.now() + issued.expires_in * 1_000 - RENEWED_BEFORE_MS
      this.#ownToken = { token: issued.access_token, until }
    }
    return this.#ownToken.token
  }

  async onChange(listener: (change: ProviderChange) => void): Promise<() => Promise<void>> {
    const changes = changeListener(listener)
    const stop = this.#track(() => changes.stop())
    await changes.start()
    return stop
  }

  async onAccessChange(listener: (id: string) => void): Promise<() => Promise<void>> {
    return this.#track(await subscribeToAccessChanges(listener))
  }

  #track(stop: () => Promise<void>): () => Promise<void> {
    this.#subscriptions.add(stop)
    return async () => {
      this.#subscriptions.delete(stop)
      await stop()
    }
  }

  /** The platform's own token may be revoked like any other; the next call requests a new one. */
  #discard(token: string): void {
    if (this.#ownToken?.token === token) {
      this.#ownToken = undefined
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((stop) => stop()))
    this.#subscriptions.clear()
  }
}

async function realmIds(): Promise<ReadonlySet<string>> {
  const realms = await Realm.query().select('id')
  return new Set(realms.map(({ id }) => id))
}

/** A statement, because there may be more users than instances of a model fit into a moment. */
async function users(): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await identityPool().query<{ id: string; realmId: string }>(
    'select id, realm_id as "realmId" from users'
  )
  return new Map(rows.map(({ id, realmId }) => [id, realmId]))
}
