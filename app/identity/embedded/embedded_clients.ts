import { inject } from '@adonisjs/core'

import type { Actor } from '#kernel/actor'
import { EntityConflict, PermissionDenied } from '#kernel/failures'
import { failureOf } from '#http/failure_of'
import { identityPool } from './database.js'
import { ClientService } from '#identity/clients/client_service'
import { ClientPermissionService } from '#identity/client_permissions/client_permission_service'
import { newSecret, readSecret } from './client_secrets.js'
import { actingWithin, permissionsBeyond, bindings, isSelf } from './strength.js'
import type {
  ClientDirectory,
  ClientPermission,
  ProviderClient,
  ProviderPermission,
} from '#auth/provider'
import type { NewClient } from '#auth/record_clients'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import { ignoreNotFound } from '#records/ignore_not_found'
import { platformOrigin } from './platform_origin.js'

const CLIENT = `id, name, display_name as "displayName", realm_id as "realmId", active,
  auth_method <> 'none' as "isConfidential"`

interface ClientRow extends ProviderClient {
  readonly stored: string | null
  readonly outOfReach: string[]
}

const GRANT = `select g.id, g.client_id as "clientId", g.permission_id as "permissionId",
    json_build_object('id', p.id, 'name', p.name) as permission
  from client_permissions g join permissions p on p.id = g.permission_id`

/**
 * The clients of the embedded provider. Writes use the services of the HTTP routes as the platform, so that rules and
 * events are the same.
 */
@inject()
export class EmbeddedClients implements ClientDirectory {
  readonly recordsAudit = true
  readonly #clients: ClientService
  readonly #grants: ClientPermissionService

  constructor(clients: ClientService, grants: ClientPermissionService) {
    this.#clients = clients
    this.#grants = grants
  }

  async create(client: NewClient): Promise<ProviderClient> {
    const { name, realmId } = client
    const origin = await platformOrigin()
    const body = { ...client, authMethod: 'secret' as const }
    const created = await undefinedOnConflict(() => this.#clients.create(origin, body))
    if (created) {
      return (await this.read(idIn(created))) ?? this.create(client)
    }
    const text = `select ${CLIENT} from clients where lower(name) = lower($1) and realm_id = $2`
    const existing = await queryOne<ProviderClient>(text, [name, realmId])
    const updated = existing && (await this.#takeOver(origin, existing))
    return updated ?? this.create(client)
  }

  async read(
    id: string,
    { secret = false, within }: { secret?: boolean; within?: Actor } = {}
  ): Promise<ProviderClient | undefined> {
    if (!isUuid(id)) {
      return undefined
    }
    const { values, bind } = bindings(id)
    const row = await queryOne<ClientRow>(
      `select ${CLIENT}, secret as stored, ${missingPermissions(id, within, bind)} as "outOfReach"
       from clients where id = $1`,
      values
    )
    if (!row) {
      return undefined
    }
    const { stored, outOfReach: missing, ...client } = row
    if (missing.length > 0) {
      throw PermissionDenied.missing(missing)
    }
    return secret
      ? { ...client, secret: stored === null ? null : await readSecret(stored) }
      : client
  }

  /**
   * Replaces the secret of an existing client: whoever created it under the id of a record knows the old one and must
   * not log in as the record.
   */
  async #takeOver(origin: Origin, { id }: ProviderClient): Promise<ProviderClient | undefined> {
    const secret = { secret: newSecret(), authMethod: 'secret', redirectUri: null } as const
    const updated = await ignoreNotFound(this.#clients.update(origin, id, secret))
    return updated === undefined ? undefined : this.read(id)
  }

  findByName(name: string, realmId?: string): Promise<ProviderClient | undefined> {
    return queryOne(
      `select ${CLIENT} from clients where name = $1 and ($2::uuid is null or realm_id = $2)
       order by created_at limit 1`,
      [name, realmId ?? null]
    )
  }

  async rotate(
    id: string,
    change: { secret: string; name?: string; displayName?: string },
    within?: Actor
  ): Promise<ProviderClient | undefined> {
    const origin = await originFor(undefined, within)
    const rotated = await ignoreNotFound(this.#clients.update(origin, id, change))
    return rotated === undefined ? undefined : this.read(id, { secret: true })
  }

  async setDisplayName(id: string, displayName: string): Promise<void> {
    const origin = await platformOrigin()
    await ignoreNotFound(this.#clients.update(origin, id, { displayName }))
  }

  async remove(id: string): Promise<void> {
    const origin = await platformOrigin()
    await ignoreNotFound(this.#clients.remove(origin, id))
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

  permission(idOrName: string): Promise<ProviderPermission | undefined> {
    const where = isUuid(idOrName) ? 'id = $1' : 'name = $1'
    return queryOne(`select id, name from permissions where ${where}`, [idOrName])
  }

  async grant(
    clientId: string,
    permissionId: string,
    by?: Origin,
    within?: Actor
  ): Promise<ClientPermission> {
    const origin = await originFor(by, within)
    const body = { clientId, permissionId }
    await undefinedOnConflict(() => this.#grants.create(origin, body))
    const where = 'g.client_id = $1 and g.permission_id = $2'
    return (await queryOne<ClientPermission>(`${GRANT} where ${where}`, [clientId, permissionId]))!
  }

  async revoke(clientPermissionId: string, by?: Origin, within?: Actor): Promise<void> {
    const origin = await originFor(by, within)
    await ignoreNotFound(this.#grants.remove(origin, clientPermissionId))
  }
}

/** The origin of a change: the actor is recorded, the permissions are those of the platform, limited to `within`. */
async function originFor(by: Origin | undefined, within: Actor | undefined): Promise<Origin> {
  const platform = await platformOrigin()
  const { permissions, realmId, realmName } = platform.actor
  const actor = by ? { ...by.actor, permissions, realmId, realmName } : platform.actor
  return { ...(by ?? platform), actor: within ? actingWithin(actor, within) : actor }
}

/** A SQL array of the permissions that a client has and an actor lacks. */
function missingPermissions(
  id: string,
  within: Actor | undefined,
  bind: (value: unknown) => string
) {
  const names =
    within && !isSelf(within, 'client', id)
      ? permissionsBeyond(within, 'client', '$1::uuid', bind)
      : `select null::text where false`
  return `array(${names})`
}

const idIn = (record: string): string => (JSON.parse(record) as { id: string }).id

async function queryOne<Row extends object>(
  text: string,
  values: unknown[]
): Promise<Row | undefined> {
  const { rows } = await identityPool().query<Row>(text, values)
  return rows[0]
}

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
