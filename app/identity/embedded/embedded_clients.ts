import { EntityConflict } from '#http/failures'
import { failureOf } from '#http/classify'
import { identityPool } from '#identity/embedded/database'
import { readSecret } from '#identity/embedded/client_secrets'
import type {
  ClientDirectory,
  ClientPermission,
  ProviderClient,
  ProviderPermission,
} from '#identity/provider'
import type { Origin } from '#records/events'
import { isUuid } from '#records/is_uuid'
import { unlessGone } from '#records/unless_gone'
import { platformOrigin } from './platform_origin.js'
import { services } from './services.js'

const CLIENT = `id, name, display_name as "displayName", realm_id as "realmId", active,
  auth_method <> 'none' as "isConfidential"`

const GRANT = `select g.id, g.client_id as "clientId", g.permission_id as "permissionId",
    json_build_object('id', p.id, 'name', p.name) as permission
  from client_permissions g join permissions p on p.id = g.permission_id`

/**
 * The clients of the embedded provider. They are written by the same services as over HTTP, in the platform's own name, so
 * that the rules and the events are the same.
 */
export class EmbeddedClients implements ClientDirectory {
  readonly keepsTrail = true

  async create({ name, realmId }: { name: string; realmId: string }): Promise<ProviderClient> {
    const origin = await platformOrigin()
    const body = { name, realmId, authMethod: 'secret' }
    const created = await unlessThere(() => services.client().create(origin, body))
    const where = created ? 'id = $1' : 'lower(name) = lower($1) and realm_id = $2'
    const values = created ? [idIn(created)] : [name, realmId]
    const client = await one<ProviderClient>(`select ${CLIENT} from clients where ${where}`, values)
    return client ?? this.create({ name, realmId })
  }

  async read(id: string, { secret = false } = {}): Promise<ProviderClient | undefined> {
    if (!isUuid(id)) {
      return undefined
    }
    const found = await one<ProviderClient & { stored: string | null }>(
      `select ${CLIENT}, secret as stored from clients where id = $1`,
      [id]
    )
    if (!found) {
      return undefined
    }
    const { stored, ...client } = found
    return secret
      ? { ...client, secret: stored === null ? null : await readSecret(stored) }
      : client
  }

  findByName(name: string, realmId?: string): Promise<ProviderClient | undefined> {
    return one(
      `select ${CLIENT} from clients where name = $1 and ($2::uuid is null or realm_id = $2)
       order by created_at limit 1`,
      [name, realmId ?? null]
    )
  }

  async rotate(
    id: string,
    change: { secret: string; name?: string; displayName?: string }
  ): Promise<ProviderClient | undefined> {
    const origin = await platformOrigin()
    const rotated = await unlessGone(services.client().update(origin, id, change))
    return rotated === undefined ? undefined : this.read(id, { secret: true })
  }

  async remove(id: string): Promise<void> {
    const origin = await platformOrigin()
    await unlessGone(services.client().remove(origin, id))
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
    return one(`select id, name from permissions where ${where}`, [idOrName])
  }

  async grant(clientId: string, permissionId: string, by?: Origin): Promise<ClientPermission> {
    const origin = await originFor(by)
    const body = { clientId, permissionId }
    await unlessThere(() => services.clientPermission().create(origin, body))
    const where = 'g.client_id = $1 and g.permission_id = $2'
    return (await one<ClientPermission>(`${GRANT} where ${where}`, [clientId, permissionId]))!
  }

  async revoke(clientPermissionId: string, by?: Origin): Promise<void> {
    const origin = await originFor(by)
    await unlessGone(services.clientPermission().remove(origin, clientPermissionId))
  }
}

/** Whoever has the platform do something is named as who did it; what may be done is up to what the platform may. */
async function originFor(by: Origin | undefined): Promise<Origin> {
  const platform = await platformOrigin()
  const { permissions, realmId, realmName } = platform.actor
  return by ? { ...by, actor: { ...by.actor, permissions, realmId, realmName } } : platform
}

const idIn = (record: string): string => (JSON.parse(record) as { id: string }).id

async function one<Row extends object>(
  text: string,
  values: (string | null)[]
): Promise<Row | undefined> {
  const { rows } = await identityPool().query<Row>(text, values)
  return rows[0]
}

/** Undefined where a record with these values is there already. */
async function unlessThere<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write()
  } catch (error) {
    if (failureOf(error) instanceof EntityConflict) {
      return undefined
    }
    throw error
  }
}
