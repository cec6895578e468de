import type pg from 'pg'

import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import type { ClientService } from '#identity/clients/client_service'
import { newConsoles } from '#identity/clients/consoles'
import { requireRemovable, requireSameName } from '#identity/embedded/built_in'
import { NamedService } from '#identity/embedded/named_service'
import { accessChangesDelivered } from '#identity/embedded/access_changes'
import { requireNobodyStronger } from '#identity/embedded/strength'
import type { Origin } from '#kernel/origin'
import { requireRealm } from '#kernel/realm'
import type { RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

import { realm, type createRealm, type Realm, type updateRealm } from './realm.js'

/** The tables that are locked before roles, and those after them; every writer uses this order. */
const GRANTEE_TABLES = ['users', 'clients'] as const
const GRANTED_TABLES = ['permissions', 'scopes'] as const

/** Only the master realm creates and removes realms. Each has clients for its consoles. */
export class RealmService extends NamedService<typeof Realm> {
  readonly #clients: ClientService

  constructor(options: RecordServiceOptions, clients: ClientService) {
    super(realm, options)
    this.#clients = clients
  }

  override async create(origin: Origin, body: BodyOf<typeof createRealm>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    requireRealm(origin.actor, null)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const created = await this.insert(transaction, origin, body)
      for (const client of newConsoles(created.values.id)) {
        await this.#clients.insertConsole(transaction, origin, client)
      }
      return created
    })
    return data
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateRealm>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      requireSameName(this.kind, previous, body)
      return this.change(transaction, origin, previous, body)
    })
    await accessChangesDelivered()
    return data
  }

  /** Removes a realm with all its accounts. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    requireRealm(origin.actor, null)
    await requireRemovable(this.pool, this.kind, id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      await lockAll(transaction, GRANTEE_TABLES, previous.id)
      await requireNobodyStronger(transaction, origin.actor, previous.id)
      await lockAll(transaction, GRANTED_TABLES, previous.id)
      return this.removeRecord(transaction, origin, previous)
    })
    await accessChangesDelivered()
    return data
  }
}

async function lockAll(
  transaction: pg.ClientBase,
  tables: typeof GRANTEE_TABLES | typeof GRANTED_TABLES,
  realmId: string
): Promise<void> {
  for (const table of tables) {
    await transaction.query(
      `with locked as (select id from ${table} where realm_id = $1 order by id for update)
       select count(*) from locked`,
      [realmId]
    )
  }
}
