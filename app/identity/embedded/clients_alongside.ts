import type pg from 'pg'

import { RelationInvalid } from '#kernel/failures'
import { failureOf } from '#http/classify'
import { issue } from '#kernel/issues'
import { clientFor, type Owner, type RecordClients } from '#auth/record_clients'
import type { Origin } from '#kernel/origin'
import { clock } from '#kernel/clock'
import { platformOrigin } from './platform_origin.js'
import { services } from './services.js'

/** How long it is taken for granted what the platform's own client may do. */
const TRUSTED_MS = 10_000

/**
 * Clients of records that are in the provider's own database: they are written in one transaction, so there is nothing to
 * remember and nothing to take back.
 */
export class ClientsAlongside implements RecordClients {
  /** Who creates a client, found out before there is a transaction. */
  readonly #origins = new Map<string, Origin>()
  #trusted: { origin: Promise<Origin>; until: number } | undefined

  async around<T>(_owner: Owner, work: (clientId: string) => Promise<T>): Promise<T> {
    const clientId = clock.uuid()
    this.#origins.set(clientId, { ...(await this.#trustedOrigin()), requestId: clock.uuid() })
    try {
      return await work(clientId)
    } finally {
      this.#origins.delete(clientId)
    }
  }

  async keep(transaction: pg.ClientBase, owner: Owner, clientId: string): Promise<void> {
    const origin = this.#origins.get(clientId)!
    const client = { id: clientId, ...clientFor(owner), authMethod: 'secret' }
    await services
      .client()
      .createAlongside(transaction, origin, client)
      .catch((error) => {
        throw failureOf(error) instanceof RelationInvalid ? unknownRealm(error) : error
      })
  }

  #trustedOrigin(): Promise<Origin> {
    if (!this.#trusted || clock.now() >= this.#trusted.until) {
      const origin = platformOrigin()
      origin.catch(() => (this.#trusted = undefined))
      this.#trusted = { origin, until: clock.now() + TRUSTED_MS }
    }
    return this.#trusted.origin
  }
}

function unknownRealm(cause: unknown): RelationInvalid {
  const issues = [issue('value_invalid', ['realmId'], 'No realm has this id')]
  return new RelationInvalid('The body names a record that does not exist', { issues, cause })
}
