import { inject } from '@adonisjs/core'
import { Logger } from '@adonisjs/core/logger'

import { createRegistryDriver } from './create_registry_driver.js'
import { CorePool } from '#core/database'
import { unseal } from '#records/sealing'
import { inTransaction } from '#records/transaction'
import { RegistryFailure, type RegistryAccess } from './registry_driver.js'
import { sendLinkCommands } from './send_link_commands.js'
import { WorkerAccounts } from './worker_accounts.js'

/** One stored account per registry: a change of the prefix renames all of them. */
const STORED_ACCOUNTS = `
  select r.id, r.host, r.account_name as "accountName", r.account_secret as "accountSecret", a.id as "storedId", a.name as "storedName"
  from registries r join lateral (
    select w.account_id as id, w.account_name as name from registry_workers w
      where w.registry_id = r.id and w.account_id is not null and w.account_name is not null
    union all (select p.account_id, p.account_name from registry_projects p
      where p.registry_id = r.id and p.account_id is not null and p.account_name is not null
      order by p.id limit 1)
    limit 1) a on true
  where r.account_name is not null and r.account_secret is not null and not exists (
    select 1 from registry_states s where s.registry_id = r.id and s.paused_until > now())`

interface StoredAccount extends RegistryAccess {
  readonly id: string
  readonly storedId: string
  readonly storedName: string
}

export interface AccountRename {
  readonly host: string
  readonly from: string
  readonly to: string
}

/**
 * Detects renamed accounts. Harbor prefixes the names of robot accounts. If an operator changes the prefix, logins with the
 * stored names fail.
 */
@inject()
export class RegistryAccounts {
  readonly #pool: CorePool
  readonly #workers: WorkerAccounts
  readonly #logger: Logger

  constructor(pool: CorePool, workers: WorkerAccounts, logger: Logger) {
    this.#pool = pool
    this.#workers = workers
    this.#logger = logger
  }

  /** Relinks all projects of registries whose accounts were renamed. Returns the number of these registries. */
  async relinkRenamed(): Promise<number> {
    const renames = await this.#findRenames()
    for (const { id, ...names } of renames) {
      this.#logger.warn({ registryId: id, ...names }, 'a registry renamed its accounts')
      await inTransaction(this.#pool, async (transaction) => {
        await sendLinkCommands(transaction, id)
        await this.#workers.enqueue(transaction, id)
      })
    }
    return renames.length
  }

  async #findRenames(): Promise<(AccountRename & { readonly id: string })[]> {
    const { rows } = await this.#pool.query<StoredAccount>(STORED_ACCOUNTS)
    const results = await Promise.all(rows.map((stored) => this.#findRename(stored)))
    return results.filter((rename) => rename !== undefined)
  }

  /** Ignores an unreachable registry: its links report that. */
  async #findRename({ id, host, accountName, accountSecret, storedId, storedName }: StoredAccount) {
    const secret = unseal('registry account', accountSecret)
    const driver = createRegistryDriver({ host, accountName, accountSecret: secret })
    try {
      const name = await driver.findAccountName(storedId)
      return name === null || name === storedName
        ? undefined
        : { id, host, from: storedName, to: name }
    } catch (error) {
      if (error instanceof RegistryFailure) {
        return undefined
      }
      throw error
    }
  }
}
