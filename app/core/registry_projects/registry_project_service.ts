import type pg from 'pg'

import { isUuid } from '#kernel/is_uuid'
import { node } from '#core/nodes/node'
import { linkLater, unlinkLater } from '#core/nodes/registry_commands'
import { enforce } from '#kernel/access'
import { EntityNotFound } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { requireRealm } from '#kernel/realm'
import type { WrittenChange } from '#records/record_change'
import { RecordService } from '#records/record_service'
import { lazyService } from '#records/services'
import { inTransaction } from '#records/transaction'

/** What of a registry not everybody may pull. */
const PRIVATE = ['node', 'incoming', 'outgoing']

const nodes = lazyService('core', node)

/**
 * Registry projects. Their registries follow them by commands.
 */
export class RegistryProjectService extends RecordService {
  /** Nodes are locked before their registry project, as everywhere. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    if (!isUuid(id)) {
      throw new EntityNotFound(this.kind.label)
    }
    return inTransaction(this.pool, async (transaction) => {
      await lockNodes(transaction, id)
      const project = await this.store.lock(transaction, id)
      if (!project) {
        throw new EntityNotFound(this.kind.label)
      }
      requireRealm(origin.actor, project.realmId as string | null)
      const { data } = await this.removeWithin(transaction, origin, id)
      return data
    })
  }

  /** Those that are not made for a node belong to no realm. */
  protected override async prepareCreation(_origin: Origin, body: Values): Promise<Values> {
    return { ...body, realmId: null, public: !PRIVATE.includes(body.type as string) }
  }

  protected override async inRemoval(
    transaction: pg.ClientBase,
    origin: Origin,
    { id }: Values
  ): Promise<void> {
    for (const nodeId of await lockNodes(transaction, id as string)) {
      await nodes().updateWithin(transaction, origin, nodeId, { registryProjectId: null })
    }
  }

  protected override async afterWrite(
    transaction: pg.ClientBase,
    _origin: Origin,
    { previous, next }: WrittenChange
  ): Promise<void> {
    if (previous && previous.externalName !== next?.externalName) {
      await unlinkLater(transaction, previous)
    }
    if (next) {
      await linkLater(transaction, next)
    }
  }
}

async function lockNodes(transaction: pg.ClientBase, projectId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    'select id from nodes where registry_project_id = $1 order by id for update',
    [projectId]
  )
  return rows.map(({ id }) => id)
}
