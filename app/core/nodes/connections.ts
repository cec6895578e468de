import type pg from 'pg'

import type { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import type { DatabasePool } from '#database/database_pool'
import type { BodyOf } from '#kernel/body'
import type { Origin } from '#kernel/origin'
import type { Writable } from '#records/record_store'
import type { Row } from '#records/row'

import type { Node, updateNode } from './node.js'

/** What decides whether a node that is created is connected, and how. */
export type Connectable = Writable<typeof Node> &
  Pick<Row<typeof Node>, 'name' | 'realmId' | 'registryId'>

/** What a node shows of its connection. */
type Connection = Pick<Writable<typeof Node>, 'registryProjectId' | 'externalName'>

interface Opened {
  readonly connection: Connection
  /** Tells others of the registry project that was made. */
  readonly tell: () => Promise<void>
}

const NONE: Opened = { connection: {}, tell: async () => {} }

/**
 * The connections of nodes to their registries: each is a project in the registry that goes with the node.
 */
export class NodeConnections {
  readonly #pool: DatabasePool
  readonly #registryProjects: RegistryProjectService

  constructor(pool: DatabasePool, registryProjects: RegistryProjectService) {
    this.#pool = pool
    this.#registryProjects = registryProjects
  }

  /** The registry that a node gets which names none, where there is a single one. */
  async onlyRegistry(): Promise<string | null> {
    const { rows } = await this.#pool.read<{ id: string }>({
      name: 'only-registry',
      text: 'select id from registries limit 2',
    })
    return rows.length === 1 ? rows[0]!.id : null
  }

  /** Makes the registry project of a node that is about to be written. */
  async open(transaction: pg.ClientBase, origin: Origin, values: Connectable): Promise<Opened> {
    const { registryId } = values
    if (registryId === null) {
      return NONE
    }
    const wanted = { ...values, registryId }
    const project = await this.#registryProjects.insertForNode(transaction, origin, wanted)
    const { id: registryProjectId, externalName } = project.values
    return { connection: { registryProjectId, externalName }, tell: project.tell }
  }

  /**
   * What a node that is changed keeps of its connection. Its former registry project, where it gets another one or none, is
   * removed by `close` once the node does not refer to it any more.
   */
  async change(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<typeof Node>,
    body: BodyOf<typeof updateNode>
  ): Promise<Connection> {
    const next = { ...previous, ...body }
    const { registryId } = next
    if (registryId === null) {
      return { registryProjectId: null }
    }
    const externalName = body.externalName ?? previous.externalName
    const { registryProjectId } = previous
    if (registryProjectId === null || registryId !== previous.registryId) {
      const wanted = { ...next, registryId, externalName }
      const { connection, tell } = await this.open(transaction, origin, wanted)
      await tell()
      return connection
    }
    if (externalName !== null && externalName !== previous.externalName) {
      const renamed = { ...previous, registryProjectId, externalName }
      await this.#registryProjects.renameForNode(transaction, origin, renamed)
    }
    return body.externalName === undefined ? {} : { externalName }
  }

  /** Removes the registry project that a node referred to until now. */
  async close(
    transaction: pg.ClientBase,
    origin: Origin,
    { registryProjectId }: Row<typeof Node>
  ): Promise<void> {
    if (registryProjectId !== null) {
      await this.#registryProjects.removeForNode(transaction, origin, registryProjectId)
    }
  }
}
