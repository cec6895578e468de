import type pg from 'pg'

import type { ExternalNames } from '#core/registries/external_names'
import type { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import type { DatabasePool } from '#database/database_pool'
import type { BodyOf } from '#kernel/body'
import { isUuid } from '#kernel/is_uuid'
import type { Origin } from '#kernel/origin'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'

import type { Node, updateNode } from './node.js'

/** What decides whether a node that is created is connected, and how. */
export type NodeValues = RowValues<typeof Node> &
  Pick<Row<typeof Node>, 'name' | 'realmId' | 'registryId'>

/** What a node shows of its connection. */
type Connection = Pick<RowValues<typeof Node>, 'registryProjectId' | 'externalName'>

interface NewConnection {
  readonly connection: Connection
  /** Tells others of the registry project that was made. */
  readonly publish: () => Promise<void>
}

const NO_CONNECTION: NewConnection = { connection: {}, publish: async () => {} }

/**
 * The connections of nodes to their registries: each is a project in the registry that goes with the node.
 */
export class NodeConnections {
  readonly #pool: DatabasePool
  readonly #registryProjects: RegistryProjectService
  readonly #names: ExternalNames

  constructor(pool: DatabasePool, registryProjects: RegistryProjectService, names: ExternalNames) {
    this.#pool = pool
    this.#registryProjects = registryProjects
    this.#names = names
  }

  /** The registry that a node gets which names none, where there is a single one. */
  async findOnlyRegistry(): Promise<string | null> {
    const { rows } = await this.#pool.read<{ id: string }>({
      name: 'only-registry',
      text: 'select id from registries limit 2',
    })
    return rows.length === 1 ? rows[0]!.id : null
  }

  /**
   * Throws where the caller may not choose the name that a new node is to have in its registry. Answers whether what has the name there
   * is taken over.
   */
  async authorizeName(
    origin: Origin,
    { registryId, externalName }: Pick<NodeValues, 'registryId' | 'externalName'>
  ): Promise<boolean> {
    return registryId !== null && typeof externalName === 'string'
      ? this.#names.authorize(origin, { registryId, externalName })
      : false
  }

  /** As `choose`, for a node that is changed, if that gives it another name or another registry. */
  async authorizeRename(
    origin: Origin,
    id: string,
    { registryId, externalName }: BodyOf<typeof updateNode>
  ): Promise<boolean> {
    if (registryId === undefined && externalName === undefined) {
      return false
    }
    const { rows } = await this.#pool.read<Pick<Row<typeof Node>, 'registryId' | 'externalName'>>({
      name: 'name-of-node-in-registry',
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

  /** Makes the registry project of a node that is about to be written. */
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
    return { connection: { registryProjectId, externalName }, publish: project.recordEvent }
  }

  /**
   * What a node that is changed keeps of its connection. Its former registry project, where it gets another one or none, is
   * removed by `close` once the node does not refer to it any more.
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
      const { connection, publish: tell } = await this.create(transaction, origin, desired, adopts)
      await tell()
      return connection
    }
    if (externalName !== null && externalName !== previous.externalName) {
      const renamed = { ...previous, registryProjectId, externalName, adopts }
      await this.#registryProjects.renameForNode(transaction, origin, renamed)
    }
    return body.externalName === undefined ? {} : { externalName }
  }

  /** Removes the registry project that a node referred to until now. */
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
