import app from '@adonisjs/core/services/app'
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

/** How long it is taken for granted what the platform's own client may do. */
const ORIGIN_TTL_MS = 10_000

/**
 * Clients of records that are in the provider's own database: they are written in one transaction, so there is nothing to
 * remember and nothing to take back.
 */
export class EmbeddedRecordClients implements RecordClients {
  #cachedOrigin: { origin: Promise<Origin>; until: number } | undefined

  /** Who creates the client is found out before there is a transaction. */
  async withClient<T>(
    owner: ClientOwner,
    work: (client: NewRecordClient) => Promise<T>
  ): Promise<T> {
    const client = { id: clock.uuid(), ...clientFor(owner), authMethod: 'secret' } as const
    const origin = { ...(await this.#origin()), requestId: clock.uuid() }
    const clients = await app.container.make(ClientService)
    return work({ id: client.id, attach: (it) => attach(clients, it, origin, client) })
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
