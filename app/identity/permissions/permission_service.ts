import type pg from 'pg'

import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { NamedService } from '#identity/embedded/named_service'
import { realmAsSent } from '#identity/embedded/realm_as_sent'
import { hasAtHand, type GivablePermission } from '#identity/embedded/strength'
import { visibleRealm } from '#identity/embedded/visible_realm'
import type { Condition } from '#query/condition'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'

/** Permissions of one realm, and those that hold in all of them. */
export class PermissionService extends NamedService {
  protected override visible(actor: Actor): readonly Condition[] {
    return visibleRealm(actor, this.kind)
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    return { ...body, realmId: realmAsSent(actor, body) }
  }

  protected override async prepareUpdate(
    origin: Origin,
    previous: Values,
    body: Values
  ): Promise<Values> {
    requireAtHand(origin.actor, previous)
    return super.prepareUpdate(origin, previous, body)
  }

  protected override async inRemoval(
    _transaction: pg.ClientBase,
    { actor }: Origin,
    previous: Values
  ): Promise<void> {
    requireAtHand(actor, previous)
  }
}

function requireAtHand(actor: Actor, values: Values): void {
  const permission = values as unknown as GivablePermission
  if (!hasAtHand(actor, permission)) {
    throw PermissionDenied.missing([permission.name])
  }
}
