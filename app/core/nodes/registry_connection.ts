import type pg from 'pg'

import { generatedExternalName } from '#core/names/external_name'
import { registryProject } from '#core/registry_projects/registry_project'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { RecordStore } from '#records/record_store'
import type { RecordService } from '#records/record_service'
import type { DatabasePool } from '#database/database_pool'
import { lazyService } from '#records/services'

import { linkLater, unlinkLater } from './registry_commands.js'

/**
 * The registry project of a node, which every node has that is connected to a registry. All of it is part of the node's own
 * transaction; the registry itself follows by commands.
 */
export class RegistryConnection {
  readonly #projects: () => RecordService = lazyService('core', registryProject)
  readonly #store: RecordStore

  constructor(pool: DatabasePool) {
    this.#store = new RecordStore(registryProject, pool)
  }

  /** What a node that is created keeps of its connection; `values` are those of the node. */
  async connect(transaction: pg.ClientBase, origin: Origin, values: Values): Promise<Values> {
    const { name, realmId, registryId } = values
    const externalName = values.externalName ?? generatedExternalName()
    const { values: project } = await this.#projects().createWithin(transaction, origin, {
      name,
      externalName,
      type: 'node',
      public: false,
      realmId,
      registryId,
    })
    await linkLater(transaction, project)
    return { externalName, registryProjectId: project.id }
  }

  /**
   * What a node that is changed keeps of its connection. Its former registry project, where it gets another one or none, is
   * removed by `disconnect` once the node does not refer to it any more.
   */
  async change(
    transaction: pg.ClientBase,
    origin: Origin,
    { previous, body }: { previous: Values; body: Values }
  ): Promise<Values> {
    const next: Values = { ...previous, ...body }
    if (next.registryId === null) {
      return previous.registryProjectId === null ? {} : { registryProjectId: null }
    }
    const externalName = body.externalName ?? previous.externalName
    if (previous.registryProjectId === null || next.registryId !== previous.registryId) {
      return this.connect(transaction, origin, { ...next, externalName })
    }
    if (externalName !== null && externalName !== previous.externalName) {
      await this.#rename(transaction, origin, { ...previous, externalName })
    }
    return body.externalName === undefined ? {} : { externalName }
  }

  async disconnect(transaction: pg.ClientBase, origin: Origin, projectId: string): Promise<void> {
    const project = await this.#store.lock(transaction, projectId)
    if (project) {
      await unlinkLater(transaction, project)
      await this.#projects().removeWithin(transaction, origin, projectId)
    }
  }

  async #rename(transaction: pg.ClientBase, origin: Origin, node: Values): Promise<void> {
    const projectId = node.registryProjectId as string
    const project = await this.#store.lock(transaction, projectId)
    if (project) {
      const { externalName, realmId } = node
      await unlinkLater(transaction, project)
      await this.#projects().updateWithin(transaction, origin, projectId, { externalName, realmId })
      await linkLater(transaction, project)
    }
  }
}
