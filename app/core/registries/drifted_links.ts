import { inject } from '@adonisjs/core'
import { CorePool } from '#core/database'
import type { DatabasePool } from '#database/database_pool'
import { inTransaction } from '#records/transaction'

import { IS_DUE, type LinkKey, RegistryLinks } from './registry_links.js'

const LINK_KEY = 'l.registry_id as "registryId", l.external_name as "externalName"'

const ORPHANED = `
  select ${LINK_KEY} from registry_links l
  where ($1::uuid is null or l.registry_id = $1) and not ${IS_DUE} and not exists (
    select 1 from registry_projects p
    where p.registry_id = l.registry_id and p.external_name = l.external_name)`

const UNLINKED = `
  insert into registry_links as l (registry_id, external_name, project_id, account_id)
  select registry_id, external_name, id, account_id from registry_projects p where not exists (
    select 1 from registry_states s where s.registry_id = p.registry_id and s.is_removing)
  on conflict do nothing returning ${LINK_KEY}`

const UNVERIFIED = `
  select ${LINK_KEY} from registry_links l
  where not is_detached and reconciled_at < now() - interval '1 day' and not ${IS_DUE}`

/** Finds links that differ from the records, enqueues them, and returns their keys. */
@inject()
export class DriftedLinks {
  readonly #pool: DatabasePool
  readonly #links: RegistryLinks

  constructor(pool: CorePool, links: RegistryLinks) {
    this.#pool = pool
    this.#links = links
  }

  /** Enqueues links whose record was deleted, of all registries or of one. */
  enqueueOrphaned(registryId: string | null): Promise<LinkKey[]> {
    return this.#enqueue(ORPHANED, [registryId])
  }

  /** Enqueues projects that were never linked. */
  enqueueUnlinked(): Promise<LinkKey[]> {
    return this.#enqueue(UNLINKED)
  }

  /** Enqueues links not verified for a day: a registry may have been restored from a backup, or changed by hand. */
  enqueueUnverified(): Promise<LinkKey[]> {
    return this.#enqueue(UNVERIFIED)
  }

  #enqueue(query: string, values: unknown[] = []): Promise<LinkKey[]> {
    return inTransaction(this.#pool, async (transaction) => {
      const { rows } = await transaction.query<LinkKey>(query, values)
      return rows.length > 0 ? this.#links.enqueueMissing(transaction, rows) : []
    })
  }
}
