import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
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
import type { IdentityProvider } from '#auth/provider'
import { reachOf } from '#auth/reach'
import { isUuid } from '#kernel/is_uuid'
import { isRealmWritable } from '#kernel/realm'

import type { ClientTasks } from './client_tasks.js'

interface OwnClientsOptions {
  readonly pool: DatabasePool
  readonly tasks: ClientTasks
  readonly identity: () => Promise<IdentityProvider>
  readonly logger: () => Promise<Pick<Logger, 'warn'>>
}

/** The clients that nodes and analyses log in with. They are created and removed together with their record. */
export class OwnClients {
  readonly #options: OwnClientsOptions
  #clients: Promise<RecordClients> | undefined

  constructor(options: OwnClientsOptions) {
    this.#options = options
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
      await this.#options.tasks.scheduleRemoval(transaction, clientId)
    }
  }

  /** Grants permissions to a client once the transaction of its record commits. */
  scheduleGrant(
    transaction: pg.ClientBase,
    clientId: string,
    permissions: TargetPermissions
  ): Promise<void> {
    return this.#options.tasks.scheduleGrant(transaction, clientId, permissions)
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
    const { rows } = await this.#options.pool.read<{ clientId: string | null; realmId: string }>({
      name: `client-of-removed-${table}`,
      text: `select client_id as "clientId", realm_id as "realmId" from ${table} where id = $1`,
      values: [isUuid(id) ? id : null],
    })
    const { clientId, realmId } = rows[0] ?? { clientId: null, realmId: null }
    if (clientId !== null && isRealmWritable(actor, realmId)) {
      const { clients } = await this.#options.identity()
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
    const { pool, identity, logger } = this.#options
    const provider = await identity()
    const options = { provider, intents: new ClientIntents(pool), logger: await logger() }
    return provider.recordClientsFor?.(pool) ?? new ClientProvisioning(options)
  }
}
