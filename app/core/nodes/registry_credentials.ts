import { registryProject } from '#core/registry_projects/registry_project'
import type { DatabasePool } from '#database/database_pool'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import {
  all,
  either,
  hasPermission,
  isClient,
  isOfMasterRealm,
  mayWriteIn,
  requireThat,
} from '#auth/verification/checks'
import type { Origin } from '#kernel/origin'
import { unseal } from '#records/sealing'
import { recordSecretRead } from '#audit/record_security_event'

import { isUuid } from '#kernel/is_uuid'
import { node } from './node.js'

/** The account with which a node pulls and pushes images. */
export interface RegistryCredentials {
  readonly host: string
  readonly externalName: string
  readonly accountName: string | null
  readonly accountSecret: string | null
}

interface NodeConnection extends RegistryCredentials {
  readonly clientId: string | null
  readonly nodeRealmId: string
  /** Null if the node has no registry project. */
  readonly projectId: string | null
  readonly realmId: string | null
}

/** Registries belong to the installation: what a hospital may do with its own does not reach the nodes of others. */
const managesRegistries = all(hasPermission('registry_manage'), isOfMasterRealm)

const SELECT_CONNECTION = `select n.client_id as "clientId", n.realm_id as "nodeRealmId", p.id as "projectId", p.realm_id as "realmId", r.host,
    p.external_name as "externalName", p.account_name as "accountName", p.account_secret as "accountSecret"
  from nodes n left join registry_projects p on p.id = n.registry_project_id
  left join registries r on r.id = p.registry_id where n.id = $1`

/**
 * Reads the account of a node in its registry. Allowed for the client of the node, for callers who manage nodes of its realm
 * (they could log in as the node anyway), and for members of the master realm who manage registries.
 */
export async function readRegistryCredentials(
  pool: DatabasePool,
  origin: Origin,
  nodeId: string
): Promise<RegistryCredentials> {
  const connection = await findConnection(pool, nodeId)
  const managesNode = all(hasPermission('node_update'), mayWriteIn(connection.nodeRealmId))
  requireThat(origin.actor, either(isClient(connection.clientId), managesNode, managesRegistries))
  const { projectId, realmId, host, externalName, accountName, accountSecret } = connection
  if (projectId === null) {
    throw new BadRequest('The node is not connected to a registry')
  }
  await recordSecretRead(origin, { kind: registryProject.name, id: projectId, realmId })
  const secret = unseal('registry project account', accountSecret)
  return { host, externalName, accountName, accountSecret: secret }
}

async function findConnection(pool: DatabasePool, nodeId: string): Promise<NodeConnection> {
  const { rows } = await pool.read<NodeConnection>({
    name: 'registry-of-node',
    text: SELECT_CONNECTION,
    values: [isUuid(nodeId) ? nodeId : null],
  })
  if (!rows[0]) {
    throw new EntityNotFound(node.label)
  }
  return rows[0]
}
