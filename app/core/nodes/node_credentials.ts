import { inject } from '@adonisjs/core'
import { CoreRecords } from '#core/core_records'
import type { Actor } from '#kernel/actor'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import { requireClients } from '#core/clients/client_directory'
import { NODE_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import { newClientSecret } from '#core/clients/client_secret'
import { recordReplacedSecret } from '#core/clients/replaced_secret'
import type { ClientDirectory, ProviderClient } from '#auth/provider'
import { reachOf } from '#auth/reach'
import {
  all,
  either,
  hasPermission,
  isClient,
  mayWriteIn,
  requireThat,
} from '#auth/verification/checks'
import type { Origin } from '#kernel/origin'
import { recordSecretRead } from '#audit/record_security_event'

import { identityProvider } from '#core/clients/identity_provider'
import { isUuid } from '#kernel/is_uuid'
import { node } from './node.js'

/** The credentials of the client of a node. */
export interface ClientCredentials {
  readonly id: string
  readonly name: string
  readonly displayName: string
  readonly secret: string | null
}

export interface NewCredentials {
  readonly secret?: string | null
  readonly name?: string | null
  readonly displayName?: string | null
}

interface NodeClient {
  readonly id: string
  readonly realmId: string
  readonly clientId: string | null
}

/**
 * The credentials of nodes. Their own clients may access them, and callers who manage nodes of their realm. If a client has
 * more permissions than nodes usually have, a caller needs these as well.
 */
@inject()
export class NodeCredentials {
  readonly #records: CoreRecords

  constructor(records: CoreRecords) {
    this.#records = records
  }

  async read(origin: Origin, nodeId: string): Promise<ClientCredentials> {
    const { clientId, realmId } = await this.#requireAccess(origin, nodeId)
    const clients = await this.#clients()
    const client = await clients.read(clientId, { secret: true, within: scopeOf(origin) })
    await recordSecretRead(origin, { kind: 'client', id: clientId, realmId })
    return toCredentials(client)
  }

  /** Sets the given secret, or a random one. */
  async rotate(
    origin: Origin,
    nodeId: string,
    { secret, name, displayName }: NewCredentials
  ): Promise<ClientCredentials> {
    const { clientId, realmId } = await this.#requireAccess(origin, nodeId)
    const clients = await this.#clients()
    await recordSecretRead(origin, { kind: 'client', id: clientId, realmId })
    const newSecret = secret ?? newClientSecret()
    const change = {
      secret: newSecret,
      ...(typeof name === 'string' && { name }),
      ...(typeof displayName === 'string' && { displayName }),
    }
    const client = await clients.rotate(clientId, change, scopeOf(origin))
    await recordReplacedSecret(node, this.#records, origin, nodeId)
    return toCredentials(client && { ...client, secret: newSecret })
  }

  async #requireAccess({ actor }: Origin, nodeId: string) {
    const nodeClient = await this.#find(nodeId)
    requireAccess(actor, nodeClient)
    const { clientId, realmId } = nodeClient
    if (clientId === null) {
      throw new BadRequest('The node has no client to log in with')
    }
    return { clientId, realmId }
  }

  async #find(nodeId: string): Promise<NodeClient> {
    const { rows } = await this.#records.pool.read<NodeClient>({
      name: 'client-of-node',
      text: 'select id, realm_id as "realmId", client_id as "clientId" from nodes where id = $1',
      values: [isUuid(nodeId) ? nodeId : null],
    })
    if (!rows[0]) {
      throw new EntityNotFound(node.label)
    }
    return rows[0]
  }

  async #clients(): Promise<ClientDirectory> {
    return requireClients(await identityProvider())
  }
}

const scopeOf = ({ actor }: Origin) => reachOf(actor, NODE_CLIENT_PERMISSIONS)

function requireAccess(actor: Actor, { clientId, realmId }: NodeClient): void {
  const manages = all(hasPermission('node_update'), mayWriteIn(realmId))
  requireThat(actor, either(isClient(clientId), manages))
}

/** Clients of the platform require a display name, so the name is the default. */
export function toCredentials(client: ProviderClient | undefined): ClientCredentials {
  if (!client) {
    throw new EntityNotFound('client')
  }
  const { id, name, displayName, secret = null } = client
  return { id, name, displayName: displayName || name, secret }
}
