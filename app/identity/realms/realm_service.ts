import type pg from 'pg'

import { enforce } from '#kernel/access'
import { newConsoles } from '#identity/clients/consoles'
import { NamedService } from '#identity/embedded/named_service'
import { requireNobodyStronger } from '#identity/embedded/strength'
import type { Origin } from '#kernel/origin'
import type { Kind, Values } from '#records/kind'
import { requireRealm } from '#kernel/realm'
import type { RecordService, RecordServiceOptions } from '#records/record_service'
import type { Written } from '#records/record_store'

/**
 * Realms belong to themselves; whether there is one more, or one less, is up to the master realm. Each comes with the clients
 * that its users sign in through.
 */
export class RealmService extends NamedService {
  readonly #clients: () => RecordService

  constructor(kind: Kind, options: RecordServiceOptions, clients: () => RecordService) {
    super(kind, options)
    this.#clients = clients
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    requireRealm(origin.actor, null)
    return super.remove(origin, id)
  }

  override async createWithin(
    transaction: pg.ClientBase,
    origin: Origin,
    values: Values
  ): Promise<Written> {
    const realm = await super.createWithin(transaction, origin, values)
    for (const client of newConsoles(realm.values.id as string)) {
      await this.#clients().createWithin(transaction, origin, client)
    }
    return realm
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    requireRealm(actor, null)
    return body
  }

  /** Everybody of a realm goes with it. */
  protected override async inRemoval(
    transaction: pg.ClientBase,
    { actor }: Origin,
    { id }: Values
  ): Promise<void> {
    await requireNobodyStronger(transaction, actor, id as string)
  }
}
