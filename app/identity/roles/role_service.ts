import type pg from 'pg'

import type { Actor } from '#http/actor'
import { realmAsSent } from '#identity/embedded/realm_as_sent'
import { requireNotStronger } from '#identity/embedded/strength'
import { visibleRealm } from '#identity/embedded/visible_realm'
import type { Condition } from '#query/condition'
import type { Origin } from '#records/events'
import type { Values } from '#records/kind'
import { RecordService } from '#records/record_service'

/** Roles of one realm, and those that hold in all of them. */
export class RoleService extends RecordService {
  protected override visible(actor: Actor): readonly Condition[] {
    return visibleRealm(actor, this.kind)
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    return { ...body, realmId: realmAsSent(actor, body) }
  }

  protected override async prepareUpdate(
    { actor }: Origin,
    { id }: Values,
    body: Values,
    transaction: pg.ClientBase
  ): Promise<Values> {
    await requireNotStronger(transaction, actor, 'role', id as string)
    return body
  }

  protected override async inRemoval(
    transaction: pg.ClientBase,
    { actor }: Origin,
    { id }: Values
  ): Promise<void> {
    await requireNotStronger(transaction, actor, 'role', id as string)
  }
}
