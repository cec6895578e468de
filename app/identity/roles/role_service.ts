import type pg from 'pg'

import { SharedService } from '#identity/embedded/shared_service'
import { requireNotStronger } from '#identity/embedded/strength'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'

/** Roles of one realm, and those that hold in all of them. */
export class RoleService extends SharedService {
  protected override async prepareUpdate(
    origin: Origin,
    previous: Values,
    body: Values,
    transaction: pg.ClientBase
  ): Promise<Values> {
    await requireNotStronger(transaction, origin.actor, 'role', previous.id as string)
    return super.prepareUpdate(origin, previous, body, transaction)
  }

  protected override async inRemoval(
    transaction: pg.ClientBase,
    { actor }: Origin,
    { id }: Values
  ): Promise<void> {
    await requireNotStronger(transaction, actor, 'role', id as string)
  }
}
