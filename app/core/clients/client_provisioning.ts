import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { IdentityUnavailable } from '#kernel/failures'
import { MAX_RETRY_WAIT_MS } from '#auth/external/provider_request'
import type { IdentityProvider, ProviderClient } from '#auth/provider'

import { requireClients } from './client_directory.js'
import type { ClientIntents } from './client_intents.js'
import {
  clientFor,
  type AttachedClient,
  type NewRecordClient,
  type ClientOwner,
  type RecordClients,
} from '#auth/record_clients'

/** Three seconds for an answer; the rest is for retries at a provider that limits its requests. */
const CREATION_TIMEOUT_MS = 3_000 + MAX_RETRY_WAIT_MS

/** The provider itself publishes events about its clients. */
const NO_EVENT: AttachedClient = { recordEvent: async () => {} }

interface ClientProvisioningOptions {
  provider: IdentityProvider
  intents: ClientIntents
  logger: Pick<Logger, 'warn'>
  timeoutMs?: number
}

/**
 * Creates clients of records at an external provider: first the client, then the record. The client is removed if the
 * record is not written. An intent is stored before, so that no crash leaves an orphaned client.
 */
export class ClientProvisioning implements RecordClients {
  readonly #provider: IdentityProvider
  readonly #intents: ClientIntents
  readonly #logger: Pick<Logger, 'warn'>
  readonly #timeoutMs: number

  constructor({
    provider,
    intents,
    logger,
    timeoutMs = CREATION_TIMEOUT_MS,
  }: ClientProvisioningOptions) {
    this.#provider = provider
    this.#intents = intents
    this.#logger = logger
    this.#timeoutMs = timeoutMs
  }

  async withClient<T>(
    owner: ClientOwner,
    work: (client: NewRecordClient) => Promise<T>
  ): Promise<T> {
    const client = await this.provide(owner)
    try {
      return await work({ id: client.id, attach: (it) => this.#attach(it, owner) })
    } catch (error) {
      await this.withdraw(owner, client)
      throw error
    }
  }

  /** Stores the intent, then creates the client. If that fails, the intent removes what may have been created. */
  async provide(owner: ClientOwner): Promise<ProviderClient> {
    const clients = await this.#withTimeout(requireClients(this.#provider))
    await this.#intents.write({ recordId: owner.id, realmId: owner.realmId })
    return this.#withTimeout(clients.create(clientFor(owner)))
  }

  /** Removes the client of a record that was not written. If that fails, the sweep of intents does it later. */
  async withdraw({ id }: ClientOwner, client: ProviderClient): Promise<void> {
    try {
      await this.#intents.abandon(id, async () => {
        const clients = await requireClients(this.#provider)
        await clients.remove(client.id)
      })
    } catch (error) {
      this.#logger.warn(
        { err: error, record: id },
        'the client of a record that was not written could not be removed; the sweep retries'
      )
    }
  }

  async #attach(transaction: pg.ClientBase, { id }: ClientOwner): Promise<AttachedClient> {
    await this.#intents.fulfil(transaction, id)
    return NO_EVENT
  }

  async #withTimeout<T>(work: Promise<T>): Promise<T> {
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new IdentityUnavailable()), this.#timeoutMs)
    try {
      return await Promise.race([work, timeout])
    } finally {
      clearTimeout(timer)
      work.catch(() => {})
    }
  }
}
