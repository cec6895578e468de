import type pg from 'pg'

import { requireClientWithin, withNewClient, writtenWithClient } from '#core/clients/identity'
import type { WantedPermissions } from '#auth/client_permissions'
import { reachOf } from '#auth/reach'
import { isUuid } from '#kernel/is_uuid'
import { isRealmWritable } from '#kernel/realm'
import type { Origin } from '#kernel/origin'
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

  /**
   * Throws where the client that would go with a record was given more than its owner and such clients have. To be asked before
   * the transaction; who may not remove the record anyway is told so there.
   */
  protected async requireRemovableClient({ actor }: Origin, id: string): Promise<void> {
    const { rows } = await this.pool.read<{ clientId: string | null; realmId: string }>({
      name: `client-of-removed-${this.kind.table}`,
      text: `select client_id as "clientId", realm_id as "realmId" from ${this.kind.table} where id = $1`,
      values: [isUuid(id) ? id : null],
    })
    const { clientId, realmId } = rows[0] ?? { clientId: null, realmId: null }
    if (clientId !== null && isRealmWritable(actor, realmId)) {
      await requireClientWithin(clientId, reachOf(actor, this.clientPermissions.names))
    }
  }
}
