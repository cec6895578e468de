import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { IdentityRecords } from '#identity/identity_records'
import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyOf } from '#kernel/body'
import { ClientService } from '#identity/clients/client_service'
import { newConsoles } from '#identity/clients/consoles'
import { NamedService } from '#identity/embedded/named_service'
import { requireNobodyStronger } from '#identity/embedded/strength'
import type { Origin } from '#kernel/origin'
import { requireRealm } from '#kernel/realm'
import type { RowValues, WrittenRecord } from '#records/record_store'
import type { Row } from '#records/row'

import { realm, type createRealm, type Realm } from './realm.js'

/** The tables that are locked before roles, and those after them; every writer uses this order. */
const GRANTEE_TABLES = ['users', 'clients'] as const
const GRANTED_TABLES = ['permissions', 'scopes'] as const

/** Only the master realm creates and removes realms. Each has clients for its consoles. */
@inject()
export class RealmService extends NamedService<typeof Realm> {
  readonly #clients: ClientService

  constructor(records: IdentityRecords, clients: ClientService) {
    super(realm, records)
    this.#clients = clients
  }

  /** Removes a realm with all its accounts. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    requireRealm(origin.actor, null)
    return super.remove(origin, id)
  }

  protected override valuesOfNew(
    actor: Actor,
    body: BodyOf<typeof createRealm>
  ): RowValues<typeof Realm> {
    requireRealm(actor, null)
    return body
  }

  protected override async insert(
    transaction: pg.ClientBase,
    origin: Origin,
    values: RowValues<typeof Realm>
  ): Promise<WrittenRecord<typeof Realm>> {
    const created = await super.insert(transaction, origin, values)
    for (const client of newConsoles(created.values.id)) {
      await this.#clients.insertConsole(transaction, origin, client)
    }
    return created
  }

  protected override async removeRecord(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<typeof Realm>
  ): Promise<WrittenRecord<typeof Realm>> {
    await lockAll(transaction, GRANTEE_TABLES, previous.id)
    await requireNobodyStronger(transaction, origin.actor, previous.id)
    await lockAll(transaction, GRANTED_TABLES, previous.id)
    return super.removeRecord(transaction, origin, previous)
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
