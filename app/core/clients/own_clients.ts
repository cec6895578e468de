import { inject } from '@adonisjs/core'
import { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { identityProvider } from './identity_provider.js'
import { CorePool } from '#core/database'
import type { Actor } from '#kernel/actor'
import { ClientIntents } from './client_intents.js'
import type { TargetPermissions } from '#auth/client_permissions'
import { ClientProvisioning } from './client_provisioning.js'
import type {
  AttachedClient,
  NewRecordClient,
  RecordClients,
  ClientOwner,
} from '#auth/record_clients'
import { reachOf } from '#auth/reach'
import { isUuid } from '#kernel/is_uuid'
import { isRealmWritable } from '#kernel/realm'

import { ClientTasks } from './client_tasks.js'

/** The clients that nodes and analyses log in with. They are created and removed together with their record. */
@inject()
export class OwnClients {
  readonly #pool: CorePool
  readonly #tasks: ClientTasks
  readonly #logger: Logger
  #clients: Promise<RecordClients> | undefined

  constructor(pool: CorePool, tasks: ClientTasks, logger: Logger) {
    this.#pool = pool
    this.#tasks = tasks
    this.#logger = logger
  }

  /** Runs `work`, which writes a record with the id of its client and attaches the client in the same transaction. */
  async withNewClient<T>(
    owner: ClientOwner,
    permissions: TargetPermissions,
    work: (client: NewRecordClient) => Promise<T>
  ): Promise<T> {
    const clients = await this.#recordClients()
    return clients.withClient({ id: owner.id, realmId: owner.realmId }, (client) =>
      work({ id: client.id, attach: (it) => this.#attach(it, client, permissions) })
    )
  }

  /** Removes a client once the deletion of its record commits. */
  async scheduleRemoval(transaction: pg.ClientBase, clientId: string | null): Promise<void> {
    if (clientId !== null) {
      await this.#tasks.scheduleRemoval(transaction, clientId)
    }
  }

  /** Grants permissions to a client once the transaction of its record commits. */
  scheduleGrant(
    transaction: pg.ClientBase,
    clientId: string,
    permissions: TargetPermissions
  ): Promise<void> {
    return this.#tasks.scheduleGrant(transaction, clientId, permissions)
  }

  /**
   * Throws if the client of a record has more permissions than the actor and the defaults of such clients. Call it
   * before the transaction, which checks whether the actor may remove the record at all.
   */
  async requireRemovable(
    actor: Actor,
    table: 'nodes' | 'analyses',
    id: string,
    permissions: readonly string[]
  ): Promise<void> {
    const { rows } = await this.#pool.read<{ clientId: string | null; realmId: string }>({
      name: `client-of-removed-${table}`,
      text: `select client_id as "clientId", realm_id as "realmId" from ${table} where id = $1`,
      values: [isUuid(id) ? id : null],
    })
    const { clientId, realmId } = rows[0] ?? { clientId: null, realmId: null }
    if (clientId !== null && isRealmWritable(actor, realmId)) {
      const { clients } = await identityProvider()
      await clients?.requireWithin?.(clientId, reachOf(actor, permissions))
    }
  }

  async #attach(
    transaction: pg.ClientBase,
    client: NewRecordClient,
    permissions: TargetPermissions
  ): Promise<AttachedClient> {
    await this.scheduleGrant(transaction, client.id, permissions)
    return client.attach(transaction)
  }

  #recordClients(): Promise<RecordClients> {
    return (this.#clients ??= this.#createClients().catch((error) => {
      this.#clients = undefined
      throw error
    }))
  }

  async #createClients(): Promise<RecordClients> {
    const provider = await identityProvider()
    const options = { provider, intents: new ClientIntents(this.#pool), logger: this.#logger }
    return provider.recordClientsFor?.(this.#pool) ?? new ClientProvisioning(options)
  }
}
