import type pg from 'pg'

import { withNewClient, writtenWithClient } from '#core/nodes/identity'
import type { WantedPermissions } from '#identity/lifecycle/client_permissions'
import type { Origin } from '#records/events'
import type { Values } from '#records/kind'
import { RecordService } from '#records/record_service'
import type { Written } from '#records/record_store'
import { tellingFirst } from '#records/telling_first'

/**
 * Records that log in with a client of their own, which comes with them.
 */
export abstract class ClientOwnerService extends RecordService {
  /** What the client of a new record may do. */
  protected abstract readonly clientPermissions: WantedPermissions

  override async createWithin(
    transaction: pg.ClientBase,
    origin: Origin,
    values: Values
  ): Promise<Written> {
    const create = () => super.createWithin(transaction, origin, values)
    return tellingFirst(transaction, values.id as string, () =>
      writtenWithClient(transaction, values, this.clientPermissions, create)
    )
  }

  protected override aroundCreation<T>(
    _origin: Origin,
    values: Values,
    work: () => Promise<T>
  ): Promise<T> {
    return withNewClient(values, work)
  }
}
