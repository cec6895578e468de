import type pg from 'pg'

import type { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { serviceOrigin } from '#auth/service_origin'
import type { DatabasePool } from '#database/database_pool'
import { inTransaction } from '#records/transaction'

import type { LinkReconciler } from './link_reconciler.js'
import type { DriftedLinks } from './drifted_links.js'
import type { LinkKey, RegistryLinks } from './registry_links.js'
import type { WorkerAccountReconciler } from './worker_account_reconciler.js'
import type { RegistryRemoval } from './registry_removal.js'
import { setUpRegistry } from './set_up_registry.js'

interface RegistryReconcilerDependencies {
  readonly pool: DatabasePool
  readonly links: RegistryLinks
  readonly reconciler: LinkReconciler
  readonly workers: WorkerAccountReconciler
  readonly drifted: DriftedLinks
  readonly removal: RegistryRemoval
  readonly projects: RegistryProjectService
}

/** The link of a project, whose record may be deleted already. */
export interface NamedLink extends LinkKey {
  readonly id?: string | null
  readonly accountId?: string | null
}

/**
 * Applies changes of records to registries: stores a task and tries it once. A failed task does not block others, and
 * `reconcileAll` retries it.
 */
export class RegistryReconciler {
  readonly #dependencies: RegistryReconcilerDependencies

  constructor(dependencies: RegistryReconcilerDependencies) {
    this.#dependencies = dependencies
  }

  /** Checks the account, and returns the writes for the transaction of the message. */
  async setUp(registryId: string): Promise<(transaction: pg.ClientBase) => Promise<void>> {
    const { reconciler, projects } = this.#dependencies
    const origin = await serviceOrigin()
    await reconciler.checkAccount(registryId)
    return (transaction) => setUpRegistry(projects, transaction, origin, registryId)
  }

  async cleanUp(registryId: string): Promise<void> {
    await this.#reconcile(await this.#dependencies.drifted.enqueueOrphaned(registryId))
  }

  async remove(registryId: string): Promise<void> {
    await this.#reconcile(await this.#dependencies.removal.start(registryId), registryId)
  }

  async link(projectId: string, secret?: string | null): Promise<void> {
    const { pool, links } = this.#dependencies
    const key = await inTransaction(pool, (transaction) =>
      links.requestLink(transaction, projectId, secret)
    )
    await this.#reconcile(key ? [key] : [])
  }

  async unlink({ id: projectId, accountId, registryId, externalName }: NamedLink) {
    const { pool, links } = this.#dependencies
    const key = { registryId, externalName }
    await inTransaction(pool, (transaction) =>
      links.requestUnlink(transaction, key, { projectId, accountId })
    )
    await this.#reconcile([key])
  }

  /** A project whose name did not change is updated in place: removing it would delete its images. */
  async relink({ id: projectId, accountId, registryId, externalName }: NamedLink) {
    const { pool, links } = this.#dependencies
    const former = { registryId, externalName }
    const key = await inTransaction(pool, async (transaction) => {
      await links.requestUnlink(transaction, former, { projectId, accountId })
      return projectId ? links.requestLink(transaction, projectId) : undefined
    })
    await this.#reconcile(key ? [former, key] : [former])
  }

  /** Enqueues drifted links and performs all tasks that are due. Returns the number of removed registries. */
  async reconcileAll(signal: AbortSignal): Promise<number> {
    const { drifted, reconciler, workers, removal } = this.#dependencies
    await drifted.enqueueOrphaned(null)
    await drifted.enqueueUnlinked()
    await drifted.enqueueUnverified()
    await reconciler.reconcileDue(signal)
    await workers.reconcileDue(signal)
    return removal.complete()
  }

  /** Completes pending removals as well, since this may have been the last link of a registry that is being removed. */
  async #reconcile(keys: readonly LinkKey[], ...registryIds: string[]): Promise<void> {
    const { reconciler, workers, removal } = this.#dependencies
    for (const key of keys) {
      await reconciler.reconcile(key)
    }
    for (const id of new Set([...registryIds, ...keys.map(({ registryId }) => registryId)])) {
      await workers.reconcile(id)
    }
    await removal.complete()
  }
}
