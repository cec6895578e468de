import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import { AnalysisService } from '#core/analyses/analysis_service'
import { NodeRegistryReferences } from '#core/nodes/node_registry_references'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import type { Origin } from '#kernel/origin'
import { RecordService } from '#records/record_service'
import type { RowValues, WrittenRecord } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

import { WebhookSecrets } from './webhook_secrets.js'
import { requireHost } from './host_rules.js'
import { registry, type createRegistry, type Registry, type updateRegistry } from './registry.js'
import { WorkerAccounts } from './worker_accounts.js'
import { RegistryLinks } from './registry_links.js'
import { sendLinkCommands } from './send_link_commands.js'

/** A change of one of these columns relinks all projects of the registry. */
const ACCESS_COLUMNS = ['host', 'accountName', 'accountSecret'] as const

/** Registries. Images, nodes and analyses outlive the record of a registry. */
@inject()
export class RegistryService extends RecordService<typeof Registry> {
  readonly #links: RegistryLinks
  readonly #hooks: WebhookSecrets
  readonly #workers: WorkerAccounts
  readonly #analyses: AnalysisService
  readonly #registryProjects: RegistryProjectService
  readonly #nodes: NodeRegistryReferences

  constructor(
    records: CoreRecords,
    links: RegistryLinks,
    hooks: WebhookSecrets,
    workers: WorkerAccounts,
    analyses: AnalysisService,
    registryProjects: RegistryProjectService
  ) {
    super(registry, records)
    this.#links = links
    this.#hooks = hooks
    this.#workers = workers
    this.#analyses = analyses
    this.#registryProjects = registryProjects
    this.#nodes = new NodeRegistryReferences(records)
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
      const previous = await this.lockWritable(origin, transaction, id)
      if (body.host !== previous.host) {
        requireHost(body.host)
      }
      return this.#update(transaction, origin, previous, body)
    })
    return data
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.removeAuthorized(origin, id)
  }

  /** Deletes a registry and detaches its nodes and analyses. The caller has to be authorized already. */
  async removeAuthorized(origin: Origin, id: string): Promise<string> {
    this.requireId(id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await lockDependents(transaction, id)
      const previous = await this.lock(transaction, id)
      const dependents = await lockDependents(transaction, id)
      for (const analysisId of dependents.analyses) {
        await this.#analyses.detachRegistry(transaction, origin, analysisId)
      }
      for (const nodeId of dependents.nodes) {
        await this.#nodes.detachRegistry(transaction, origin, nodeId)
      }
      for (const projectId of await lockIn(transaction, 'registry_projects', id)) {
        await this.#registryProjects.removeWithRegistry(transaction, origin, projectId)
      }
      return this.removeRecord(transaction, origin, previous)
    })
    return data
  }

  /** Inserts the registry that the environment configures, and returns its id. */
  async insertFromEnvironment(
    transaction: pg.ClientBase,
    origin: Origin,
    values: RowValues<typeof Registry>
  ): Promise<string> {
    const inserted = await this.insert(transaction, origin, values)
    return inserted.values.id
  }

  /** Sets the account that the environment configures. */
  async changeAccount(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    account: { accountName: string | null; accountSecret: string | null }
  ): Promise<void> {
    await this.#update(transaction, origin, await this.lock(transaction, id), account)
  }

  /** Relinks all projects if the host or the account changed. A new host also resets links, webhook and worker accounts. */
  async #update(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<typeof Registry>,
    values: RowValues<typeof Registry>
  ): Promise<WrittenRecord<typeof Registry>> {
    const { id } = previous
    const written = await this.change(transaction, origin, previous, values)
    const isMoved = written.values.host !== previous.host
    if (isMoved) {
      await this.#links.resetAll(transaction, id)
      await this.#hooks.revoke(transaction, id)
      await this.#workers.reset(transaction, id)
    }
    if (ACCESS_COLUMNS.some((name) => written.values[name] !== previous[name])) {
      await sendLinkCommands(transaction, id)
    }
    return written
  }
}

/** Locks the analyses and nodes of a registry. They are locked before the registry. */
async function lockDependents(transaction: pg.ClientBase, registryId: string) {
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
