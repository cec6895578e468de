import type pg from 'pg'

import { enforce } from '#http/access'
import { NamedService } from '#identity/embedded/named_service'
import { requireNobodyStronger } from '#identity/embedded/strength'
import type { Origin } from '#records/events'
import type { Values } from '#records/kind'
import { requireRealm } from '#records/realm'

/** Realms belong to themselves; whether there is one more, or one less, is up to the master realm. */
export class RealmService extends NamedService {
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    requireRealm(origin.actor, null)
    return super.remove(origin, id)
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
