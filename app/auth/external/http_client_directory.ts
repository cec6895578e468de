import { BadRequest, EntityConflict, IdentityUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { isGlobalPermission } from '#auth/client_permissions'
import { expiringCache } from '#auth/verification/expiring_cache'
import type {
  ClientDirectory,
  ClientPermission,
  ProviderClient,
  ProviderPermission,
} from '#auth/provider'
import type { NewClient } from '#auth/record_clients'

import type { ProviderApi } from './provider_api.js'

const SUCCESS = [200, 201, 202]
const PERMISSION_TTL_MS = 60_000
const MAX_PERMISSIONS = 200
/** Statuses of an invalid request. */
const REJECTED = [400, 422]

/**
 * The clients of a provider with the records API. Results are filtered again, because a provider ignores filters that
 * it does not know.
 */
export class HttpClientDirectory implements ClientDirectory {
  readonly recordsAudit = false
  readonly #api: ProviderApi
  readonly #permissions = expiringCache<string, ProviderPermission>({
    size: MAX_PERMISSIONS,
    ttlMs: PERMISSION_TTL_MS,
  })

  constructor(api: ProviderApi) {
    this.#api = api
  }

  async create(client: NewClient): Promise<ProviderClient> {
    const { name, realmId } = client
    const { status, body } = await this.#api.call('/clients', {
      method: 'POST',
      json: { ...client, authMethod: 'secret' },
      expected: [...SUCCESS, ...REJECTED, 404, 409],
    })
    if (status !== 409) {
      return REJECTED.includes(status) || status === 404
        ? rejectAttribute('realmId')
        : toClient(body?.data)
    }
    const [existing] = await this.#findNamed(name, realmId)
    return (
      existing ??
      rejectTakenName(`A client ${name} exists already, but the platform may not read it`)
    )
  }

  async read(id: string, { secret = false } = {}): Promise<ProviderClient | undefined> {
    const fields = secret ? '?fields=%2Bsecret' : ''
    const { status, body } = await this.#api.call(pathOf(id) + fields, { expected: [200, 404] })
    return status === 404 ? undefined : toClient(body?.data)
  }

  async findByName(name: string, realmId?: string): Promise<ProviderClient | undefined> {
    const [found] = await this.#findNamed(name, realmId)
    return found
  }

  async rotate(
    id: string,
    { secret, name, displayName }: { secret: string; name?: string; displayName?: string }
  ): Promise<ProviderClient | undefined> {
    const { status, body } = await this.#api.call(pathOf(id), {
      method: 'POST',
      json: { secret, name, displayName },
      expected: [...SUCCESS, ...REJECTED, 404, 409],
    })
    if (status === 409) {
      return rejectTakenName('Another client has this name')
    }
    if (REJECTED.includes(status)) {
      return rejectAttribute(name === undefined ? 'secret' : 'name')
    }
    return status === 404 ? undefined : { ...toClient(body?.data), secret }
  }

  async setDisplayName(id: string, displayName: string): Promise<void> {
    await this.#api.call(pathOf(id), {
      method: 'POST',
      json: { displayName },
      expected: [...SUCCESS, 404],
    })
  }

  async remove(id: string): Promise<void> {
    await this.#api.call(pathOf(id), { method: 'DELETE', expected: [...SUCCESS, 204, 404] })
  }

  async permissionsOf(clientId: string): Promise<readonly ClientPermission[]> {
    const query = { 'filter[clientId]': clientId, 'include': 'permission' }
    const grants: ClientPermission[] = await this.#api.list('/client-permissions', query)
    return grants.filter((grant) => grant.clientId === clientId)
  }

  /** Permissions hardly change, and every client of a record gets the same few, so they are cached. */
  async permission(idOrName: string): Promise<ProviderPermission | undefined> {
    const known = this.#permissions.get(idOrName)
    if (known) {
      return known
    }
    const permission = await this.#findPermission(idOrName)
    if (permission) {
      this.#permissions.set(permission.name, permission)
      this.#permissions.set(permission.id, permission)
    }
    return permission
  }

  async #findPermission(idOrName: string): Promise<ProviderPermission | undefined> {
    const path = `/permissions/${encodeURIComponent(idOrName)}`
    const { status, body } = await this.#api.call(path, { expected: [200, 404] })
    if (status === 404 || isGlobalPermission(body?.data)) {
      return status === 404 ? undefined : body?.data
    }
    const named = await this.#api.list('/permissions', { 'filter[name]': idOrName })
    return named.find((other) => other.name === idOrName && isGlobalPermission(other))
  }

  async grant(clientId: string, permissionId: string): Promise<ClientPermission> {
    const { status, body } = await this.#api.call('/client-permissions', {
      method: 'POST',
      json: { clientId, permissionId },
      expected: [...SUCCESS, 409],
    })
    if (status === 409) {
      const grants = await this.permissionsOf(clientId)
      const existing = grants.find((grant) => grant.permissionId === permissionId)
      return existing ?? rejectResponse('a client permission exists already, but cannot be read')
    }
    return { permission: await this.permission(permissionId), ...body?.data }
  }

  async revoke(clientPermissionId: string): Promise<void> {
    const path = `/client-permissions/${encodeURIComponent(clientPermissionId)}`
    await this.#api.call(path, { method: 'DELETE', expected: [...SUCCESS, 204, 404] })
  }

  async #findNamed(name: string, realmId?: string): Promise<ProviderClient[]> {
    const realm = realmId === undefined ? undefined : { 'filter[realmId]': realmId }
    const found = await this.#api.list('/clients', { 'filter[name]': name, ...realm })
    return found
      .map(toClient)
      .filter((client) => client.name === name && (realmId ?? client.realmId) === client.realmId)
  }
}

function pathOf(id: string): string {
  return `/clients/${encodeURIComponent(id)}`
}

function toClient(data: any): ProviderClient {
  if (typeof data?.id !== 'string') {
    return rejectResponse('it returned a client without an id')
  }
  const { id, name, displayName = null, realmId, secret, active, isConfidential, authMethod } = data
  return {
    id,
    name,
    displayName,
    realmId,
    ...(typeof active === 'boolean' && { active }),
    isConfidential: isConfidential !== false && authMethod !== 'none',
    ...(secret !== undefined && { secret }),
  }
}

function rejectTakenName(message: string): never {
  throw new EntityConflict(message, { issues: [issue('value_exists', ['name'], message)] })
}

function rejectAttribute(attribute: string): never {
  const message = 'The identity provider rejected this value'
  throw BadRequest.attribute(issue('value_invalid', [attribute], message))
}

function rejectResponse(what: string): never {
  const cause = new Error(`The identity provider sent an unusable response: ${what}`)
  throw new IdentityUnavailable(undefined, { cause })
}
