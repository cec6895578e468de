import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { OwnClients } from '#core/clients/own_clients'
import { ProjectNodeService } from '#core/project_nodes/project_node_service'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { NODE_CLIENT_PERMISSIONS, type TargetPermissions } from '#auth/client_permissions'
import type { Origin } from '#kernel/origin'
import { owningRealmFor } from '#kernel/realm'
import { RecordService } from '#records/record_service'
import type { WrittenRecord } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction, concurrently } from '#records/transaction'
import { clock } from '#kernel/clock'

import { NodeConnections, type NodeValues } from './node_connections.js'
import { node, type createNode, type Node, type updateNode } from './node.js'
import { recordSpan } from './presence_spans.js'
import { withLockedOwners } from './with_locked_owners.js'
import { withEncodedKey } from './public_key.js'

const CLIENT_PERMISSIONS: TargetPermissions = { names: NODE_CLIENT_PERMISSIONS, exclusive: true }

/** Nodes. Each has its own client to log in with, and a project in its registry. */
@inject()
export class NodeService extends RecordService<typeof Node> {
  readonly #clients: OwnClients
  readonly #connections: NodeConnections
  readonly #projectNodes: ProjectNodeService
  readonly #analysisNodes: AnalysisNodeService

  constructor(
    records: CoreRecords,
    clients: OwnClients,
    connections: NodeConnections,
    projectNodes: ProjectNodeService,
    analysisNodes: AnalysisNodeService
  ) {
    super(node, records)
    this.#clients = clients
    this.#connections = connections
    this.#projectNodes = projectNodes
    this.#analysisNodes = analysisNodes
  }

  override async create(origin: Origin, body: BodyOf<typeof createNode>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const realmId = owningRealmFor(origin.actor, body.realmId)
    const registryId = body.registryId ?? (await this.#connections.findOnlyRegistry())
    const values = { ...withEncodedKey(body), id: clock.uuid(), realmId, registryId }
    const adopts = await this.#connections.authorizeName(origin, values)
    return this.#clients.withNewClient(values, CLIENT_PERMISSIONS, (client) =>
      inTransaction(this.pool, async (transaction) => {
        const [written, attached] = await concurrently(
          this.#insertConnected(transaction, origin, { ...values, clientId: client.id }, adopts),
          client.attach(transaction)
        )
        await attached.recordEvent()
        return written.data
      })
    )
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateNode>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const adopts = await this.#connections.authorizeRename(origin, id, body)
    if (body.type !== undefined) {
      return this.#withLockedOwners(origin, id, (transaction, previous) =>
        this.#update(transaction, origin, previous, body, adopts)
      )
    }
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      return this.#update(transaction, origin, previous, body, adopts)
    })
    return data
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await this.#clients.requireRemovable(origin.actor, 'nodes', id, NODE_CLIENT_PERMISSIONS)
    return this.#withLockedOwners(origin, id, async (transaction, previous) => {
      const nodeId = previous.id
      await this.#projectNodes.decrementCounts(transaction, nodeId)
      await this.#analysisNodes.removeNode(transaction, origin, nodeId)
      await this.#clients.scheduleRemoval(transaction, previous.clientId)
      const removed = await this.removeWithPendingEvent(transaction, origin, previous)
      await this.#connections.remove(transaction, origin, previous)
      await removed.recordEvent()
      return removed
    })
  }

  /** Sets the online flag of a node. Does nothing if the node was deleted. */
  async setOnline(
    origin: Origin,
    id: string,
    online: boolean,
    isStillValid: (transaction: pg.ClientBase) => Promise<boolean> = async () => true
  ): Promise<void> {
    await inTransaction(this.pool, async (transaction) => {
      const previous = await this.store.lock(transaction, id)
      if (previous && previous.online !== online && (await isStillValid(transaction))) {
        await this.change(transaction, origin, previous, { online })
        await recordSpan(transaction, id, online)
      }
    })
  }

  /** Replaces a missing client of a node. Returns false if the node was deleted. */
  async replaceClient(origin: Origin, id: string, clientId: string): Promise<boolean> {
    return inTransaction(this.pool, async (transaction) => {
      const previous = await this.store.lock(transaction, id)
      if (previous) {
        await this.change(transaction, origin, previous, { clientId })
      }
      return previous !== undefined
    })
  }

  /** Records the event of the node before that of its registry project. */
  async #insertConnected(
    transaction: pg.ClientBase,
    origin: Origin,
    values: NodeValues,
    adopts: boolean
  ): Promise<WrittenRecord<typeof Node>> {
    const { connection, recordEvent } = await this.#connections.create(
      transaction,
      origin,
      values,
      adopts
    )
    const written = await this.insert(transaction, origin, { ...values, ...connection })
    await recordEvent()
    return written
  }

  /** A change of the type updates analyses, which count their nodes by type. They have to be locked already. */
  async #update(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<typeof Node>,
    body: BodyOf<typeof updateNode>,
    adopts: boolean
  ): Promise<WrittenRecord<typeof Node>> {
    const connection = await this.#connections.update(transaction, origin, previous, body, adopts)
    const values = { ...withEncodedKey(body), ...connection }
    const written = await this.change(transaction, origin, previous, values)
    if (written.values.registryProjectId !== previous.registryProjectId) {
      await this.#connections.remove(transaction, origin, previous)
    }
    if (written.values.type !== previous.type) {
      await this.#analysisNodes.refreshAnalyses(transaction, origin, previous.id)
    }
    return written
  }

  /** Locks the projects and analyses of a node, then the node, and calls `work`. */
  async #withLockedOwners(
    origin: Origin,
    id: string,
    work: (
      transaction: pg.ClientBase,
      node: Row<typeof Node>
    ) => Promise<WrittenRecord<typeof Node>>
  ): Promise<string> {
    this.requireId(id)
    return withLockedOwners(this.pool, id, async (transaction, areLocked) => {
      const previous = await this.lockWritable(origin, transaction, id)
      if (!(await areLocked())) {
        return undefined
      }
      const { data } = await work(transaction, previous)
      return data
    })
  }
}
