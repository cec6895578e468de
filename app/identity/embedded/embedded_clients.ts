import app from '@adonisjs/core/services/app'

import type { Actor } from '#kernel/actor'
import { EntityConflict } from '#kernel/failures'
import { failureOf } from '#http/failure_of'
import { identityPool } from './database.js'
import { Client } from '#identity/clients/client'
import { ClientService } from '#identity/clients/client_service'
import { Permission } from '#identity/permissions/permission'
import { clientPermission } from '#identity/client_permissions/client_permission'
import { newSecret, readSecret } from './client_secrets.js'
import { actingWithin, requireWithinReach } from './strength.js'
import type {
  ClientDirectory,
  ClientPermission,
  ProviderClient,
  ProviderPermission,
} from '#auth/provider'
import type { NewClient } from '#auth/record_clients'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import { serviceKeyOf } from '#records/service_key'
import { ignoreNotFound } from '#records/ignore_not_found'
import { platformOrigin } from './platform_origin.js'

const GRANT = `select g.id, g.client_id as "clientId", g.permission_id as "permissionId",
    json_build_object('id', p.id, 'name', p.name) as permission
  from client_permissions g join permissions p on p.id = g.permission_id`

const clientService = () => app.container.make(ClientService)
const grantService = () => app.container.make(serviceKeyOf(clientPermission.kind))

/**
 * The clients of the embedded provider. Writes use the services of the HTTP routes as the platform, so that rules and
 * events are the same.
 */
export class EmbeddedClients implements ClientDirectory {
  readonly recordsAudit = true

  async create(client: NewClient): Promise<ProviderClient> {
    const { name, realmId } = client
    const origin = await platformOrigin()
    const body = { ...client, authMethod: 'secret' as const }
    const clients = await clientService()
    const created = await undefinedOnConflict(() => clients.create(origin, body))
    if (created) {
      return (await this.read(idIn(created))) ?? this.create(client)
    }
    const existing = await Client.query()
      .where({ realmId })
      .whereRaw('lower(name) = lower(?)', [name])
      .first()
    const updated = existing && (await this.#takeOver(origin, existing))
    return updated ?? this.create(client)
  }

  async read(
    id: string,
    { secret = false, within }: { secret?: boolean; within?: Actor } = {}
  ): Promise<ProviderClient | undefined> {
    const client = isUuid(id) ? await Client.find(id) : null
    if (!client) {
      return undefined
    }
    if (within) {
      await requireWithinReach(identityPool(), within, 'client', id)
    }
    return {
      ...providerClient(client),
      ...(secret && { secret: client.secret && (await readSecret(client.secret)) }),
    }
  }

  /**
   * Replaces the secret of an existing client: whoever created it under the id of a record knows the old one and must
   * not log in as the record.
   */
  async #takeOver(origin: Origin, { id }: Client): Promise<ProviderClient | undefined> {
    const secret = { secret: newSecret(), authMethod: 'secret', redirectUri: null } as const
    const clients = await clientService()
    const updated = await ignoreNotFound(clients.update(origin, id, secret))
    return updated === undefined ? undefined : this.read(id)
  }

  async findByName(name: string, realmId?: string): Promise<ProviderClient | undefined> {
    const client = await Client.query()
      .where({ name, ...(realmId && { realmId }) })
      .orderBy('createdAt')
      .first()
    return client ? providerClient(client) : undefined
  }

  async rotate(
    id: string,
    change: { secret: string; name?: string; displayName?: string },
    within?: Actor
  ): Promise<ProviderClient | undefined> {
    const origin = await originFor(undefined, within)
    const clients = await clientService()
    const rotated = await ignoreNotFound(clients.update(origin, id, change))
    return rotated === undefined ? undefined : this.read(id, { secret: true })
  }

  async setDisplayName(id: string, displayName: string): Promise<void> {
    const origin = await platformOrigin()
    const clients = await clientService()
    await ignoreNotFound(clients.update(origin, id, { displayName }))
  }

  async remove(id: string): Promise<void> {
    const origin = await platformOrigin()
    const clients = await clientService()
    await ignoreNotFound(clients.remove(origin, id))
  }

  async requireWithin(id: string, within: Actor): Promise<void> {
    await this.read(id, { within })
  }

  async permissionsOf(clientId: string): Promise<readonly ClientPermission[]> {
    const { rows } = await identityPool().query<ClientPermission>(
      `${GRANT} where g.client_id::text = lower($1) order by p.name`,
      [clientId]
    )
    return rows
  }

  async permission(idOrName: string): Promise<ProviderPermission | undefined> {
    const permission = await Permission.findBy(isUuid(idOrName) ? 'id' : 'name', idOrName)
    return permission ? { id: permission.id, name: permission.name } : undefined
  }

  async grant(
    clientId: string,
    permissionId: string,
    by?: Origin,
    within?: Actor
  ): Promise<ClientPermission> {
    const origin = await originFor(by, within)
    const body = { clientId, permissionId }
    const grants = await grantService()
    await undefinedOnConflict(() => grants.create(origin, body))
    const { rows } = await identityPool().query<ClientPermission>(
      `${GRANT} where g.client_id = $1 and g.permission_id = $2`,
      [clientId, permissionId]
    )
    return rows[0]!
  }

  async revoke(clientPermissionId: string, by?: Origin, within?: Actor): Promise<void> {
    const origin = await originFor(by, within)
    const grants = await grantService()
    await ignoreNotFound(grants.remove(origin, clientPermissionId))
  }
}

/** The origin of a change: the actor is recorded, the permissions are those of the platform, limited to `within`. */
async function originFor(by: Origin | undefined, within: Actor | undefined): Promise<Origin> {
  const platform = await platformOrigin()
  const { permissions, realmId, realmName } = platform.actor
  const actor = by ? { ...by.actor, permissions, realmId, realmName } : platform.actor
  return { ...(by ?? platform), actor: within ? actingWithin(actor, within) : actor }
}

const providerClient = (client: Client): ProviderClient => ({
  id: client.id,
  name: client.name,
  displayName: client.displayName,
  realmId: client.realmId,
  active: client.active,
  isConfidential: client.authMethod !== 'none',
})

const idIn = (record: string): string => (JSON.parse(record) as { id: string }).id

/** Undefined if such a record exists already. */
async function undefinedOnConflict<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write()
  } catch (error) {
    if (failureOf(error) instanceof EntityConflict) {
      return undefined
    }
    throw error
  }
}
