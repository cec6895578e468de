import type pg from 'pg'

import { analysis } from '#core/analyses/analysis'
import { isUuid } from '#kernel/is_uuid'
import { node } from '#core/nodes/node'
import { registryProjectRecords } from '#core/registry_projects/services'
import { enforce } from '#kernel/access'
import { EntityNotFound } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import type { WrittenChange } from '#records/record_change'
import { RecordService } from '#records/record_service'
import { lazyService } from '#records/services'
import { inTransaction } from '#records/transaction'

import { HookSecrets } from './hook_secrets.js'
import { requireHost } from './host_rules.js'
import { RegistryLinks } from './registry_links.js'
import { linkAllOf } from './registry_projects_of.js'

/** What decides how a registry is reached: whatever is in it is looked at anew when one of them changes. */
const ACCESS = ['host', 'accountName', 'accountSecret']

const analyses = lazyService('core', analysis)
const nodes = lazyService('core', node)

/**
 * Registries. Whatever is in one outlives its record, and so do the nodes and analyses that used it.
 */
export class RegistryService extends RecordService {
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.take(origin, id)
  }

  /** Removes a registry for somebody who was allowed to have it removed. */
  async take(origin: Origin, id: string): Promise<string> {
    if (!isUuid(id)) {
      throw new EntityNotFound(this.kind.label)
    }
    return inTransaction(this.pool, async (transaction) => {
      await usersOf(transaction, id)
      const { data } = await this.removeWithin(transaction, origin, id)
      return data
    })
  }

  protected override async prepareCreation(_origin: Origin, body: Values): Promise<Values> {
    requireHost(body.host)
    return body
  }

  protected override async prepareUpdate(
    _origin: Origin,
    previous: Values,
    body: Values
  ): Promise<Values> {
    if (body.host !== previous.host) {
      requireHost(body.host)
    }
    return body
  }

  protected override async inRemoval(
    transaction: pg.ClientBase,
    origin: Origin,
    { id }: Values
  ): Promise<void> {
    const users = await usersOf(transaction, id as string)
    for (const analysisId of users.analyses) {
      await analyses().updateWithin(transaction, origin, analysisId, { registryId: null })
    }
    for (const nodeId of users.nodes) {
      const nothing = { registryId: null, registryProjectId: null }
      await nodes().updateWithin(transaction, origin, nodeId, nothing)
    }
    for (const projectId of await idsIn(transaction, 'registry_projects', id as string)) {
      await registryProjectRecords().removeWithin(transaction, origin, projectId)
    }
  }

  protected override async afterWrite(
    transaction: pg.ClientBase,
    _origin: Origin,
    { previous, next }: WrittenChange
  ): Promise<void> {
    if (!previous || !next || ACCESS.every((name) => previous[name] === next[name])) {
      return
    }
    if (previous.host !== next.host) {
      await new RegistryLinks(this.pool).moveAll(transaction, next.id as string)
      await new HookSecrets(this.pool).revoke(transaction, next.id as string)
    }
    await linkAllOf(transaction, next.id as string)
  }
}

/** Locks what uses a registry, before the registry itself. */
async function usersOf(transaction: pg.ClientBase, registryId: string) {
  return {
    analyses: await idsIn(transaction, 'analyses', registryId),
    nodes: await idsIn(transaction, 'nodes', registryId),
  }
}

async function idsIn(
  transaction: pg.ClientBase,
  table: 'analyses' | 'nodes' | 'registry_projects',
  registryId: string
): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    `select id from ${table} where registry_id = $1 order by id for update`,
    [registryId]
  )
  return rows.map(({ id }) => id)
}
