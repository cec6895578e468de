import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import { generateExternalName } from '#core/names/external_name'
import { sendLinkCommand, sendUnlinkCommand } from '#core/nodes/link_commands'
import { NodeRegistryReferences } from '#core/nodes/node_registry_references'
import { ExternalNames } from '#core/registries/external_names'
import { RegistryLinks } from '#core/registries/registry_links'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { isUuid } from '#kernel/is_uuid'
import type { Origin } from '#kernel/origin'
import { hasChanges } from '#records/record_change'
import { RecordService, type WrittenWithPendingEvent } from '#records/record_service'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

import {
  registryProject,
  type createRegistryProject,
  type RegistryProject,
  type updateRegistryProject,
} from './registry_project.js'

/** Projects of these types are not public. */
const PRIVATE_TYPES = ['node', 'incoming', 'outgoing']

type NamedProject = Pick<Row<typeof RegistryProject>, 'type' | 'registryId' | 'externalName'>

/** A new project of a node. */
interface NodeProject {
  readonly name: string
  readonly realmId: string
  readonly registryId: string
  readonly externalName?: string | null
  /** Whether an existing project of this name is adopted. */
  readonly adopts: boolean
}

/** A node with a new name in its registry. */
interface RenamedNode {
  readonly registryProjectId: string
  readonly externalName: string
  readonly realmId: string
  readonly adopts: boolean
}

/** Registry projects. Writes send commands that update the registry, except those that store the state of the registry. */
@inject()
export class RegistryProjectService extends RecordService<typeof RegistryProject> {
  readonly #names: ExternalNames
  readonly #links: RegistryLinks
  readonly #nodes: NodeRegistryReferences

  constructor(records: CoreRecords, names: ExternalNames, links: RegistryLinks) {
    super(registryProject, records)
    this.#names = names
    this.#links = links
    this.#nodes = new NodeRegistryReferences(records)
  }

  /** Projects that are not created for a node have no realm. */
  override async create(
    origin: Origin,
    body: BodyOf<typeof createRegistryProject>
  ): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const adopts = await this.#authorizeName(origin, body)
    const isPublic = !PRIVATE_TYPES.includes(body.type) && (body.public ?? true)
    const values = { ...body, realmId: null, public: isPublic }
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const project = await this.insert(transaction, origin, values)
      await this.#requestLink(transaction, project.values, adopts)
      return project
    })
    return data
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateRegistryProject>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const adopts = await this.#authorizeRename(origin, id, body.externalName)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      const isPrivate = previous.type !== null && PRIVATE_TYPES.includes(previous.type)
      const project = await this.change(transaction, origin, previous, {
        ...body,
        ...(isPrivate && body.public && { public: previous.public }),
      })
      if (previous.externalName !== project.values.externalName) {
        await sendUnlinkCommand(transaction, previous)
      }
      await this.#requestLink(transaction, project.values, adopts)
      return project
    })
    return data
  }

  /** Locks the nodes first; every writer uses this order. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    this.requireId(id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await lockNodes(transaction, id)
      const previous = await this.lockWritable(origin, transaction, id)
      for (const nodeId of await lockNodes(transaction, id)) {
        await this.#nodes.detachRegistryProject(transaction, origin, nodeId)
      }
      const removed = await this.removeWithPendingEvent(transaction, origin, previous)
      await sendUnlinkCommand(transaction, previous)
      await removed.recordEvent()
      return removed
    })
    return data
  }

  /** Creates the project of a node. Its event has to be published after that of the node. */
  async insertForNode(
    transaction: pg.ClientBase,
    origin: Origin,
    { name, realmId, registryId, externalName, adopts }: NodeProject
  ): Promise<WrittenWithPendingEvent<typeof RegistryProject>> {
    const project = await this.insertWithPendingEvent(transaction, origin, {
      name,
      externalName: externalName ?? generateExternalName(),
      type: 'node',
      public: false,
      realmId,
      registryId,
    })
    await this.#requestLink(transaction, project.values, adopts)
    return project
  }

  /** Renames the project of a node. */
  async renameForNode(
    transaction: pg.ClientBase,
    origin: Origin,
    node: RenamedNode
  ): Promise<void> {
    const { registryProjectId, externalName, realmId, adopts } = node
    const previous = await this.store.lock(transaction, registryProjectId)
    if (previous) {
      await sendUnlinkCommand(transaction, previous)
      const renamed = await this.change(transaction, origin, previous, { externalName, realmId })
      await this.#requestLink(transaction, renamed.values, adopts)
    }
  }

  /** Deletes the project of a node. The node has to be detached already. */
  async removeForNode(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const previous = await this.store.lock(transaction, id)
    if (previous) {
      await sendUnlinkCommand(transaction, previous)
      await this.removeRecord(transaction, origin, previous)
    }
  }

  /** Inserts a standard project of a registry. The caller links all projects of the registry afterwards. */
  async insertStandard(
    transaction: pg.ClientBase,
    origin: Origin,
    values: RowValues<typeof RegistryProject>
  ): Promise<void> {
    await this.insert(transaction, origin, values)
  }

  /** Stores the state of a link. An update without changes publishes no event. */
  async updateLink(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    linked: RowValues<typeof RegistryProject>
  ): Promise<void> {
    const previous = await this.store.lock(transaction, id)
    if (previous && hasChanges(previous, linked)) {
      await this.change(transaction, origin, previous, linked)
    }
  }

  /** Deletes the record of a project whose registry is deleted. The project in the registry stays. */
  async removeWithRegistry(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    await this.removeRecord(transaction, origin, await this.lock(transaction, id))
  }

  async #requestLink(
    transaction: pg.ClientBase,
    project: Row<typeof RegistryProject>,
    adopts: boolean
  ): Promise<void> {
    if (adopts) {
      await this.#links.adopt(transaction, project)
    }
    await sendLinkCommand(transaction, project)
  }

  #authorizeName(
    origin: Origin,
    { type, registryId, externalName }: NamedProject
  ): Promise<boolean> {
    const isForMasterImages = type === 'masterImages'
    return this.#names.authorize(origin, {
      registryId,
      externalName,
      isForMasterImages,
    })
  }

  /** Authorizes the new name of an existing project, if it changes. */
  async #authorizeRename(
    origin: Origin,
    id: string,
    externalName: string | undefined
  ): Promise<boolean> {
    const previous = externalName === undefined ? undefined : await this.#findName(id)
    return previous && externalName !== undefined && previous.externalName !== externalName
      ? this.#authorizeName(origin, { ...previous, externalName })
      : false
  }

  async #findName(id: string): Promise<NamedProject | undefined> {
    const { rows } = await this.pool.read<NamedProject>({
      name: 'registry-project-name',
      text: `select type, registry_id as "registryId", external_name as "externalName"
        from registry_projects where id = $1`,
      values: [isUuid(id) ? id : null],
    })
    return rows[0]
  }
}

async function lockNodes(transaction: pg.ClientBase, projectId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    'select id from nodes where registry_project_id = $1 order by id for update',
    [projectId]
  )
  return rows.map(({ id }) => id)
}
