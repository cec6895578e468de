import { setTimeout as delay } from 'node:timers/promises'

import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { IdentityUnavailable } from '#http/failures'
import type { IdentityProvider, ProviderClient } from '#identity/provider'
import { inTransaction } from '#records/transaction'

import { clientsOf } from './client_directory.js'
import type { ClientIntents } from './client_intents.js'

const CREATION_LIMIT_MS = 3_000

/** A record that logs in with a client of its own, which is named after it. */
export interface Owner {
  readonly id: string
  readonly realmId: string
}

interface ProvisioningOptions {
  provider: IdentityProvider
  intents: ClientIntents
  logger: Pick<Logger, 'warn'>
  limitMs?: number
}

/**
 * Creates records together with their clients, although those are kept by the provider: either both are there in the end,
 * or neither is. `create` does all of it; the steps stand alone for services that hold the transaction themselves.
 */
export class ClientProvisioning {
  readonly #provider: IdentityProvider
  readonly #intents: ClientIntents
  readonly #logger: Pick<Logger, 'warn'>
  readonly #limitMs: number

  constructor({ provider, intents, logger, limitMs = CREATION_LIMIT_MS }: ProvisioningOptions) {
    this.#provider = provider
    this.#intents = intents
    this.#logger = logger
    this.#limitMs = limitMs
  }

  /** Creates the client, then the record in one transaction with whatever `write` does in it. */
  async create<T>(
    pool: pg.Pool,
    owner: Owner,
    write: (transaction: pg.ClientBase, client: ProviderClient) => Promise<T>
  ): Promise<T> {
    return this.around(owner, (client) =>
      inTransaction(pool, async (transaction) => {
        const result = await write(transaction, client)
        await this.fulfil(transaction, owner)
        return result
      })
    )
  }

  /** Creates the client and removes it again where the work fails. The work's transaction has to call `fulfil`. */
  async around<T>(owner: Owner, work: (client: ProviderClient) => Promise<T>): Promise<T> {
    const client = await this.provide(owner)
    try {
      return await work(client)
    } catch (error) {
      await this.withdraw(owner, client)
      throw error
    }
  }

  /** Remembers the intent, then creates the client. Where that fails, the intent stays until nothing can be left of it. */
  async provide({ id, realmId }: Owner): Promise<ProviderClient> {
    const clients = clientsOf(this.#provider)
    await this.#intents.write({ recordId: id, realmId })
    return this.#inTime(clients.create({ name: id, realmId }))
  }

  /** In the record's transaction: there is a record now, so its client is not an orphan. */
  fulfil(transaction: pg.ClientBase, { id }: Owner): Promise<void> {
    return this.#intents.fulfil(transaction, id)
  }

  /** Removes the client of a record that was not written. What cannot be done now is left to the reconciliation. */
  async withdraw({ id }: Owner, client: ProviderClient): Promise<void> {
    try {
      if (await this.#intents.abandon(id)) {
        await clientsOf(this.#provider).remove(client.id)
        await this.#intents.remove(id)
      }
    } catch (error) {
      this.#logger.warn({ err: error, record: id }, 'a client without a record is removed later')
    }
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const over = new AbortController()
    const late = delay(this.#limitMs, undefined, { signal: over.signal }).then(() => {
      throw new IdentityUnavailable()
    })
    try {
      return await Promise.race([work, late])
    } finally {
      over.abort()
      late.catch(() => {})
      work.catch(() => {})
    }
  }
}
