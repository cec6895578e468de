import type { Actor } from '#http/actor'
import { NamedService } from '#identity/embedded/named_service'
import { realmAsSent } from '#identity/embedded/realm_as_sent'
import { visibleRealm } from '#identity/embedded/visible_realm'
import type { Condition } from '#query/condition'
import type { Origin } from '#records/events'
import type { Values } from '#records/kind'

/** Permissions of one realm, and those that hold in all of them. */
export class PermissionService extends NamedService {
  protected override visible(actor: Actor): readonly Condition[] {
    return visibleRealm(actor, this.kind)
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    return { ...body, realmId: realmAsSent(actor, body) }
  }
}
