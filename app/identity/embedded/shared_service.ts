import type pg from 'pg'

import { enforce } from '#kernel/access'
import { realmAsSent } from '#identity/embedded/realm_as_sent'
import { SeenService } from '#identity/embedded/seen_service'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { requireRemovable, requireSameName } from './built_in.js'

/** Records of one realm and of all of them, some of which the provider came with. */
export class SharedService extends SeenService {
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await requireRemovable(this.pool, this.kind, id)
    return super.remove(origin, id)
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    return { ...body, realmId: realmAsSent(actor, body) }
  }

  protected override async prepareUpdate(
    _origin: Origin,
    previous: Values,
    body: Values,
    _transaction: pg.ClientBase
  ): Promise<Values> {
    requireSameName(this.kind, previous, body)
    return body
  }
}
