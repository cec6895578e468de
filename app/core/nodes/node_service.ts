import type pg from 'pg'

import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { ClientOwnerService } from '#core/clients/client_owner_service'
import { projectNodes } from '#core/project_nodes/services'
import { enforce } from '#kernel/access'
import { BadRequest, EntityNotFound, ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { NODE_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import type { Origin } from '#kernel/origin'
import type { Kind, Values } from '#records/kind'
import { isUuid } from '#kernel/is_uuid'
import { requireRealm } from '#kernel/realm'
import type { WrittenChange } from '#records/record_change'
import type { RecordServiceOptions } from '#records/record_service'
import { lazyService } from '#records/services'
import { inTransaction } from '#records/transaction'

import { clientTasks } from '#core/clients/identity'
import { areAllLocked, lockOwners } from './owners.js'
import { storedPublicKey } from './public_key.js'
import { RegistryConnection } from './registry_connection.js'

/** How often something begins anew because the node got into another project or analysis meanwhile. */
const ATTEMPTS = 5

const analysisNodes = lazyService('core', analysisNode, AnalysisNodeService)

/**
 * Nodes. Each logs in with a client of its own, and has a project in the registry it is connected to.
 */
export class NodeService extends ClientOwnerService {
  protected override readonly clientPermissions = {
    names: NODE_CLIENT_PERMISSIONS,
    nothingElse: true,
  }
  readonly #connection: RegistryConnection

  constructor(kind: Kind, options: RecordServiceOptions) {
    super(kind, options)
    this.#connection = new RegistryConnection(options.pool)
  }

  override async update(origin: Origin, id: string, body: Values): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    if (body.type === undefined) {
      return super.update(origin, id, body)
    }
    return this.#holding(origin, id, async (transaction, previous) => {
      const values = await this.prepareUpdate(origin, previous, body, transaction)
      const { data } = await this.updateWithin(transaction, origin, id, values)
      return data
    })
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await this.requireRemovableClient(origin, id)
    return this.#holding(origin, id, async (transaction) => {
      const { data } = await this.removeWithin(transaction, origin, id)
      return data
    })
  }

  protected override async prepareCreation(origin: Origin, body: Values): Promise<Values> {
    const values = await super.prepareCreation(origin, body)
    requireOwner(values)
    const registryId = values.registryId ?? (await this.#onlyRegistry())
    return { ...withStoredKey(values), registryId }
  }

  protected override async inCreation(
    transaction: pg.ClientBase,
    origin: Origin,
    values: Values
  ): Promise<Values> {
    return values.registryId === null
      ? values
      : { ...values, ...(await this.#connection.connect(transaction, origin, values)) }
  }

  protected override async prepareUpdate(
    origin: Origin,
    previous: Values,
    body: Values,
    transaction: pg.ClientBase
  ): Promise<Values> {
    const connection = await this.#connection.change(transaction, origin, { previous, body })
    return { ...withStoredKey(body), ...connection }
  }

  /** Whoever removes a node holds what it is part of. */
  protected override async inRemoval(
    transaction: pg.ClientBase,
    origin: Origin,
    { id, clientId }: Values
  ): Promise<void> {
    await projectNodes().discount(transaction, id as string)
    await analysisNodes().removeNode(transaction, origin, id as string)
    if (clientId !== null) {
      await clientTasks().removeLater(transaction, clientId as string)
    }
  }

  protected override async afterWrite(
    transaction: pg.ClientBase,
    origin: Origin,
    { previous, next }: WrittenChange
  ): Promise<void> {
    const former = previous?.registryProjectId as string | null | undefined
    if (former && former !== next?.registryProjectId) {
      await this.#connection.disconnect(transaction, origin, former)
    }
    if (previous && next && previous.type !== next.type) {
      await analysisNodes().followNode(transaction, origin, next.id as string)
    }
  }

  /** Does something with a node that changes what it is part of, which is locked before it. */
  async #holding(
    { actor }: Origin,
    id: string,
    work: (transaction: pg.ClientBase, node: Values) => Promise<string>
  ): Promise<string> {
    if (!isUuid(id)) {
      throw new EntityNotFound(this.kind.label)
    }
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const done = await inTransaction(this.pool, async (transaction) => {
        const locked = await lockOwners(transaction, id)
        const node = await this.store.lock(transaction, id)
        if (!node) {
          throw new EntityNotFound(this.kind.label)
        }
        requireRealm(actor, node.realmId as string)
        return (await areAllLocked(transaction, id, locked)) ? work(transaction, node) : undefined
      })
      if (done !== undefined) {
        return done
      }
    }
    throw new ServiceUnavailable('Others are changing what the node is part of; try again shortly')
  }

  async #onlyRegistry(): Promise<string | null> {
    const { rows } = await this.pool.read<{ id: string }>({
      name: 'only-registry',
      text: 'select id from registries limit 2',
    })
    return rows.length === 1 ? rows[0]!.id : null
  }
}

/** A client belongs to a realm, so a node of no realm could not log in. */
function requireOwner({ realmId }: Values): void {
  if (realmId === null) {
    throw new BadRequest('Property realmId is invalid', {
      issues: [issue('required', ['realmId'], 'Name a realm: yours is not known')],
    })
  }
}

function withStoredKey(values: Values): Values {
  return typeof values.publicKey === 'string'
    ? { ...values, publicKey: storedPublicKey(values.publicKey) }
    : values
}
