import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { RelationInvalid } from '#kernel/failures'
import { failureOf } from '#http/failure_of'
import { issue } from '#kernel/issues'
import { ClientService } from '#identity/clients/client_service'
import {
  clientFor,
  type AttachedClient,
  type NewClient,
  type NewRecordClient,
  type ClientOwner,
  type RecordClients,
} from '#auth/record_clients'
import type { Origin } from '#kernel/origin'
import { clock } from '#kernel/clock'
import { platformOrigin } from './platform_origin.js'

/** How long the permissions of the platform's own client are cached. */
const ORIGIN_TTL_MS = 10_000

/**
 * Creates clients in the provider's own database, in the transaction of the record. So there is nothing to compensate.
 */
@inject()
export class EmbeddedRecordClients implements RecordClients {
  readonly #clients: ClientService
  #cachedOrigin: { origin: Promise<Origin>; until: number } | undefined

  constructor(clients: ClientService) {
    this.#clients = clients
  }

  /** The origin is determined before the transaction starts. */
  async withClient<T>(
    owner: ClientOwner,
    work: (client: NewRecordClient) => Promise<T>
  ): Promise<T> {
    const client = { id: clock.uuid(), ...clientFor(owner), authMethod: 'secret' } as const
    const origin = { ...(await this.#origin()), requestId: clock.uuid() }
    return work({ id: client.id, attach: (it) => attach(this.#clients, it, origin, client) })
  }

  #origin(): Promise<Origin> {
    if (!this.#cachedOrigin || clock.now() >= this.#cachedOrigin.until) {
      const origin = platformOrigin()
      origin.catch(() => (this.#cachedOrigin = undefined))
      this.#cachedOrigin = { origin, until: clock.now() + ORIGIN_TTL_MS }
    }
    return this.#cachedOrigin.origin
  }
}

async function attach(
  clients: ClientService,
  transaction: pg.ClientBase,
  origin: Origin,
  client: NewClient & { readonly id: string }
): Promise<AttachedClient> {
  try {
    return await clients.insertForRecord(transaction, origin, client)
  } catch (error) {
    throw failureOf(error) instanceof RelationInvalid ? unknownRealm(error) : error
  }
}

function unknownRealm(cause: unknown): RelationInvalid {
  const issues = [issue('value_invalid', ['realmId'], 'No realm has this id')]
  return new RelationInvalid('The body names a record that does not exist', { issues, cause })
}
