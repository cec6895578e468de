import type pg from 'pg'

import type { Origin } from '#kernel/origin'
import type { RecordServiceOptions } from '#records/record_service'
import { RecordWrites } from '#records/record_writes'

import { node, type Node } from './node.js'

/** Removes the references of nodes to registries and registry projects that are about to be deleted. */
export class NodeRegistryReferences extends RecordWrites<typeof Node> {
  constructor(options: RecordServiceOptions) {
    super(node, options)
  }

  /** Detaches a locked node from its registry. */
  async detachRegistry(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const nothing = { registryId: null, registryProjectId: null }
    await this.updateById(transaction, origin, id, nothing)
  }

  /** Detaches a locked node from its registry project. */
  async detachRegistryProject(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string
  ): Promise<void> {
    await this.updateById(transaction, origin, id, { registryProjectId: null })
  }
}
