import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { ExternalNames } from '#core/registries/external_names'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import type { DatabasePool } from '#database/database_pool'
import type { BodyOf } from '#kernel/body'
import { isUuid } from '#kernel/is_uuid'
import type { Origin } from '#kernel/origin'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'

import type { Node, updateNode } from './node.js'

export type NodeValues = RowValues<typeof Node> &
  Pick<Row<typeof Node>, 'name' | 'realmId' | 'registryId'>

/** The columns of a node that show its connection. */
type Connection = Pick<RowValues<typeof Node>, 'registryProjectId' | 'externalName'>

interface NewConnection {
  readonly connection: Connection
  /** Records the event of the new registry project. */
  readonly recordEvent: () => Promise<void>
}

const NO_CONNECTION: NewConnection = { connection: {}, recordEvent: async () => {} }

/** Connects nodes to registries. A connection is a registry project that is deleted with the node. */
@inject()
export class NodeConnections {
  readonly #pool: DatabasePool
  readonly #registryProjects: RegistryProjectService
  readonly #names: ExternalNames

  constructor(pool: CorePool, registryProjects: RegistryProjectService, names: ExternalNames) {
    this.#pool = pool
    this.#registryProjects = registryProjects
    this.#names = names
  }

  /** Finds the default registry of nodes: the only one, if there is exactly one. */
  async findOnlyRegistry(): Promise<string | null> {
    const { rows } = await this.#pool.read<{ id: string }>({
      name: 'default-registry',
      text: 'select id from registries limit 2',
    })
    return rows.length === 1 ? rows[0]!.id : null
  }

  /** Throws if the caller may not choose the name of a new node in its registry. Returns whether a project is adopted. */
  async authorizeName(
    origin: Origin,
    { registryId, externalName }: Pick<NodeValues, 'registryId' | 'externalName'>
  ): Promise<boolean> {
    return registryId !== null && typeof externalName === 'string'
      ? this.#names.authorize(origin, { registryId, externalName })
      : false
  }

  /** Authorizes the name of an existing node, if an update changes its name or its registry. */
  async authorizeRename(
    origin: Origin,
    id: string,
    { registryId, externalName }: BodyOf<typeof updateNode>
  ): Promise<boolean> {
    if (registryId === undefined && externalName === undefined) {
      return false
    }
    const { rows } = await this.#pool.read<Pick<Row<typeof Node>, 'registryId' | 'externalName'>>({
      name: 'registry-name-of-node',
      text: 'select registry_id as "registryId", external_name as "externalName" from nodes where id = $1',
      values: [isUuid(id) ? id : null],
    })
    const [previous] = rows
    if (!previous) {
      return false
    }
    const next = {
      registryId: registryId === undefined ? previous.registryId : registryId,
      externalName: externalName ?? previous.externalName,
    }
    const isSame =
      next.registryId === previous.registryId && next.externalName === previous.externalName
    return isSame ? false : this.authorizeName(origin, next)
  }

  /** Creates the registry project of a node. Call `recordEvent` after the node is written. */
  async create(
    transaction: pg.ClientBase,
    origin: Origin,
    values: NodeValues,
    adopts: boolean
  ): Promise<NewConnection> {
    const { registryId } = values
    if (registryId === null) {
      return NO_CONNECTION
    }
    const desired = { ...values, registryId, adopts }
    const project = await this.#registryProjects.insertForNode(transaction, origin, desired)
    const { id: registryProjectId, externalName } = project.values
    return { connection: { registryProjectId, externalName }, recordEvent: project.recordEvent }
  }

  /**
   * Updates the connection of a node. If it gets another registry project or none, call `remove` for the former one after the
   * node is written.
   */
  async update(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<typeof Node>,
    body: BodyOf<typeof updateNode>,
    adopts: boolean
  ): Promise<Connection> {
    const next = { ...previous, ...body }
    const { registryId } = next
    if (registryId === null) {
      return { registryProjectId: null }
    }
    const externalName = body.externalName ?? previous.externalName
    const { registryProjectId } = previous
    if (registryProjectId === null || registryId !== previous.registryId) {
      const desired = { ...next, registryId, externalName }
      const { connection, recordEvent } = await this.create(transaction, origin, desired, adopts)
      await recordEvent()
      return connection
    }
    if (externalName !== null && externalName !== previous.externalName) {
      const renamed = { ...previous, registryProjectId, externalName, adopts }
      await this.#registryProjects.renameForNode(transaction, origin, renamed)
    }
    return body.externalName === undefined ? {} : { externalName }
  }

  /** Removes the former registry project of a node. */
  async remove(
    transaction: pg.ClientBase,
    origin: Origin,
    { registryProjectId }: Row<typeof Node>
  ): Promise<void> {
    if (registryProjectId !== null) {
      await this.#registryProjects.removeForNode(transaction, origin, registryProjectId)
    }
  }
}
