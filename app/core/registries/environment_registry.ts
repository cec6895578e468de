import { inject } from '@adonisjs/core'
import { CorePool } from '#core/database'
import { serviceOrigin } from '#auth/service_origin'
import type { DatabasePool } from '#database/database_pool'
import { lucidClientFor } from '#records/lucid_client'
import { inTransaction } from '#records/transaction'
import { coreSettings, type CoreSettings } from '#core/core_settings'

import { sendRegistryCommand } from './commands.js'
import { Registry } from './registry.js'
import { RegistryService } from './registry_service.js'

const NAME = 'default'

type Harbor = NonNullable<CoreSettings['harbor']>

/** The registry that `HARBOR_URL` configures. */
@inject()
export class EnvironmentRegistry {
  readonly #pool: DatabasePool
  readonly #registries: RegistryService

  constructor(pool: CorePool, registries: RegistryService) {
    this.#pool = pool
    this.#registries = registries
  }

  /** Inserts or updates the registry of `HARBOR_URL`, and sets it up if it changed. */
  async setUp(): Promise<void> {
    const registryId = await this.upsert(coreSettings().harbor)
    if (registryId !== undefined) {
      await inTransaction(this.#pool, (it) => sendRegistryCommand(it, 'SETUP', registryId))
    }
  }

  /**
   * Inserts a registry, or updates the account of an existing one, whose host stays. Returns its id, or undefined if nothing
   * changed.
   */
  async upsert(harbor: Harbor | undefined): Promise<string | undefined> {
    if (!harbor) {
      return undefined
    }
    const { host, accountName, accountSecret } = harbor
    const origin = await serviceOrigin()
    return inTransaction(this.#pool, async (transaction) => {
      const client = await lucidClientFor(transaction)
      const existing = await Registry.query({ client }).where('name', NAME).forUpdate().first()
      if (!existing) {
        const values = { name: NAME, host, accountName, accountSecret }
        return this.#registries.insertFromEnvironment(transaction, origin, values)
      }
      if (existing.accountName === accountName && existing.accountSecret === accountSecret) {
        return undefined
      }
      const account = { accountName, accountSecret }
      await this.#registries.changeAccount(transaction, origin, existing.id, account)
      return existing.id
    })
  }
}
