import type pg from 'pg'

import type { AnalysisService } from '#core/analyses/analysis_service'
import type { NodeService } from '#core/nodes/node_service'
import type { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import type { Origin } from '#kernel/origin'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import type { Writable, Written } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

import type { HookSecrets } from './hook_secrets.js'
import { requireHost } from './host_rules.js'
import { registry, type createRegistry, type Registry, type updateRegistry } from './registry.js'
import type { RegistryWorkers } from './registry_workers.js'
import type { RegistryLinks } from './registry_links.js'
import { linkAllOf } from './registry_projects_of.js'

/** What decides how a registry is reached: whatever is in it is looked at anew when one of them changes. */
const ACCESS = ['host', 'accountName', 'accountSecret'] as const

interface Needs {
  readonly links: RegistryLinks
  readonly hooks: HookSecrets
  readonly workers: RegistryWorkers
  readonly analyses: AnalysisService
  readonly nodes: NodeService
  readonly registryProjects: RegistryProjectService
}

/**
 * Registries. Whatever is in one outlives its record, and so do the nodes and analyses that used it.
 */
export class RegistryService extends RecordService<typeof Registry> {
  readonly #needs: Needs

  constructor(options: RecordServiceOptions, needs: Needs) {
    super(registry, options)
    this.#needs = needs
  }

  override async create(origin: Origin, body: BodyOf<typeof createRegistry>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    requireHost(body.host)
    const { data } = await inTransaction(this.pool, (transaction) =>
      this.insert(transaction, origin, body)
    )
    return data
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateRegistry>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      if (body.host !== previous.host) {
        requireHost(body.host)
      }
      return this.#update(transaction, origin, previous, body)
    })
    return data
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.take(origin, id)
  }

  /** Removes a registry for a caller that was allowed to have it removed. */
  async take(origin: Origin, id: string): Promise<string> {
    this.requireId(id)
    const { analyses, nodes, registryProjects } = this.#needs
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await lockUsers(transaction, id)
      const previous = await this.lock(transaction, id)
      const users = await lockUsers(transaction, id)
      for (const analysisId of users.analyses) {
        await analyses.leaveRegistry(transaction, origin, analysisId)
      }
      for (const nodeId of users.nodes) {
        await nodes.leaveRegistry(transaction, origin, nodeId)
      }
      for (const projectId of await lockIn(transaction, 'registry_projects', id)) {
        await registryProjects.removeWithRegistry(transaction, origin, projectId)
      }
      return this.removeRecord(transaction, origin, previous)
    })
    return data
  }

  /** Enters a registry that the environment names; answers its id. */
  async enter(
    transaction: pg.ClientBase,
    origin: Origin,
    values: Writable<typeof Registry>
  ): Promise<string> {
    const entered = await this.insert(transaction, origin, values)
    return entered.values.id
  }

  /** Gives a registry the account that the environment names. */
  async changeAccount(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    account: { accountName: string | null; accountSecret: string | null }
  ): Promise<void> {
    await this.#update(transaction, origin, await this.lock(transaction, id), account)
  }

  /** Where and how a registry is reached may be another from now on: then all that is in it is looked at anew. */
  async #update(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<typeof Registry>,
    values: Writable<typeof Registry>
  ): Promise<Written<typeof Registry>> {
    const { id } = previous
    const written = await this.change(transaction, origin, previous, values)
    const isElsewhere = written.values.host !== previous.host
    if (isElsewhere) {
      await this.#needs.links.moveAll(transaction, id)
      await this.#needs.hooks.revoke(transaction, id)
      await this.#needs.workers.move(transaction, id)
    }
    if (ACCESS.some((name) => written.values[name] !== previous[name])) {
      await linkAllOf(transaction, id)
    }
    return written
  }
}

/** Locks what uses a registry, before the registry itself. */
async function lockUsers(transaction: pg.ClientBase, registryId: string) {
  return {
    analyses: await lockIn(transaction, 'analyses', registryId),
    nodes: await lockIn(transaction, 'nodes', registryId),
  }
}

async function lockIn(
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
