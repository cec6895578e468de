import { NamedService } from '#identity/embedded/named_service'
import type { Origin } from '#records/events'
import type { Values } from '#records/kind'
import { requireRealm } from '#records/realm'

/** Realms belong to themselves; whether there is one more is up to the master realm. */
export class RealmService extends NamedService {
  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    requireRealm(actor, null)
    return body
  }
}
