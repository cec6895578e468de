import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { serviceOrigin } from '#auth/service_origin'
import { inTransaction } from '#records/transaction'
import { ignoreNotFound } from '#records/ignore_not_found'

import { IS_DUE, type LinkKey, RegistryLinks } from './registry_links.js'
import { RegistryService } from './registry_service.js'
import { WORKER_QUEUE, WorkerAccounts } from './worker_accounts.js'

/** The lock serializes writers of all links of a registry. */
const MARK_LEAVING = `
  insert into registry_states (registry_id, is_removing) select id, true from registries where id = $1 for no key update
  on conflict (registry_id) do update set is_removing = true, paused_until = null`

const UNLINK_ALL = `
  update registry_links set is_detached = true where registry_id = $1
  returning registry_id as "registryId", external_name as "externalName"`

const SELECT_EMPTY = `
  select registry_id as id from registry_states s where is_removing and not exists (
    select 1 from registry_links l where l.registry_id = s.registry_id
      and (${IS_DUE} or not l.is_detached))
    and not exists (select 1 from tasks t
      where t.queue = '${WORKER_QUEUE.name}' and t.key = s.registry_id::text)`

/** Removes registries: first all that the platform created in one, then its record. */
@inject()
export class RegistryRemoval {
  readonly #pool: CorePool
  readonly #links: RegistryLinks
  readonly #workers: WorkerAccounts
  readonly #registries: RegistryService

  constructor(
    pool: CorePool,
    links: RegistryLinks,
    workers: WorkerAccounts,
    registries: RegistryService
  ) {
    this.#pool = pool
    this.#links = links
    this.#workers = workers
    this.#registries = registries
  }

  /** Requests that all links of a registry are removed. Returns their keys. */
  start(registryId: string): Promise<LinkKey[]> {
    return inTransaction(this.#pool, async (transaction) => {
      await transaction.query(MARK_LEAVING, [registryId])
      const keys = await unlinkAll(transaction, registryId)
      await this.#links.enqueueAll(transaction, keys)
      await this.#workers.enqueue(transaction, registryId)
      return keys
    })
  }

  /** Deletes the records of registries whose links are all removed. Returns their number. */
  async complete(): Promise<number> {
    const { rows } = await this.#pool.query<{ id: string }>(SELECT_EMPTY)
    for (const { id } of rows) {
      await ignoreNotFound(this.#registries.removeAuthorized(await serviceOrigin(), id))
    }
    return rows.length
  }
}

async function unlinkAll(transaction: pg.ClientBase, registryId: string): Promise<LinkKey[]> {
  const { rows } = await transaction.query<LinkKey>(UNLINK_ALL, [registryId])
  return rows
}
