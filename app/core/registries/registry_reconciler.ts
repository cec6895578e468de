import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { serviceOrigin } from '#auth/service_origin'
import { inTransaction } from '#records/transaction'

import { LinkReconciler } from './link_reconciler.js'
import { DriftedLinks } from './drifted_links.js'
import { RegistryLinks, type LinkKey } from './registry_links.js'
import { WorkerAccountReconciler } from './worker_account_reconciler.js'
import { RegistryRemoval } from './registry_removal.js'
import { setUpRegistry } from './set_up_registry.js'

/** The link of a project, whose record may be deleted already. */
export interface NamedLink extends LinkKey {
  readonly id?: string | null
  readonly accountId?: string | null
}

/**
 * Applies changes of records to registries: stores a task and tries it once. A failed task does not block others, and
 * `reconcileAll` retries it.
 */
@inject()
export class RegistryReconciler {
  readonly #pool: CorePool
  readonly #links: RegistryLinks
  readonly #reconciler: LinkReconciler
  readonly #workers: WorkerAccountReconciler
  readonly #drifted: DriftedLinks
  readonly #removal: RegistryRemoval
  readonly #projects: RegistryProjectService

  constructor(
    pool: CorePool,
    links: RegistryLinks,
    reconciler: LinkReconciler,
    workers: WorkerAccountReconciler,
    drifted: DriftedLinks,
    removal: RegistryRemoval,
    projects: RegistryProjectService
  ) {
    this.#pool = pool
    this.#links = links
    this.#reconciler = reconciler
    this.#workers = workers
    this.#drifted = drifted
    this.#removal = removal
    this.#projects = projects
  }

  /** Checks the account, and returns the writes for the transaction of the message. */
  async setUp(registryId: string): Promise<(transaction: pg.ClientBase) => Promise<void>> {
    const origin = await serviceOrigin()
    await this.#reconciler.checkAccount(registryId)
    return (transaction) => setUpRegistry(this.#projects, transaction, origin, registryId)
  }

  async cleanUp(registryId: string): Promise<void> {
    await this.#reconcile(await this.#drifted.enqueueOrphaned(registryId))
  }

  async remove(registryId: string): Promise<void> {
    await this.#reconcile(await this.#removal.start(registryId), registryId)
  }

  async link(projectId: string, secret?: string | null): Promise<void> {
    const key = await inTransaction(this.#pool, (transaction) =>
      this.#links.requestLink(transaction, projectId, secret)
    )
    await this.#reconcile(key ? [key] : [])
  }

  async unlink({ id: projectId, accountId, registryId, externalName }: NamedLink) {
    const key = { registryId, externalName }
    await inTransaction(this.#pool, (transaction) =>
      this.#links.requestUnlink(transaction, key, { projectId, accountId })
    )
    await this.#reconcile([key])
  }

  /** A project whose name did not change is updated in place: removing it would delete its images. */
  async relink({ id: projectId, accountId, registryId, externalName }: NamedLink) {
    const former = { registryId, externalName }
    const key = await inTransaction(this.#pool, async (transaction) => {
      await this.#links.requestUnlink(transaction, former, { projectId, accountId })
      return projectId ? this.#links.requestLink(transaction, projectId) : undefined
    })
    await this.#reconcile(key ? [former, key] : [former])
  }

  /** Enqueues drifted links and performs all tasks that are due. Returns the number of removed registries. */
  async reconcileAll(signal: AbortSignal): Promise<number> {
    await this.#drifted.enqueueOrphaned(null)
    await this.#drifted.enqueueUnlinked()
    await this.#drifted.enqueueUnverified()
    await this.#reconciler.reconcileDue(signal)
    await this.#workers.reconcileDue(signal)
    return this.#removal.complete()
  }

  /** Completes pending removals as well, since this may have been the last link of a registry that is being removed. */
  async #reconcile(keys: readonly LinkKey[], ...registryIds: string[]): Promise<void> {
    for (const key of keys) {
      await this.#reconciler.reconcile(key)
    }
    for (const id of new Set([...registryIds, ...keys.map(({ registryId }) => registryId)])) {
      await this.#workers.reconcile(id)
    }
    await this.#removal.complete()
  }
}
