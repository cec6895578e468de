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

/** A project by the name it has in its registry, also where its record is gone. */
export interface NamedLink extends LinkKey {
  readonly id?: string | null
  readonly accountId?: string | null
}

/**
 * Does in registries what the records want done there: writes down what is wanted and tries it once. A registry that does not
 * do it holds up nothing else, and is tried again by `keepAll`.
 */
export class RegistryReconciler {
  readonly #dependencies: RegistryReconcilerDependencies

  constructor(dependencies: RegistryReconcilerDependencies) {
    this.#dependencies = dependencies
  }

  /** Answers what is left to be written. */
  async setUp(registryId: string): Promise<(transaction: pg.ClientBase) => Promise<void>> {
    const { reconciler: keeper, projects } = this.#dependencies
    const origin = await serviceOrigin()
    await keeper.checkAccount(registryId)
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

  /** What has the same name as before is mended where it is: to remove it first would lose what is in it. */
  async relink({ id: projectId, accountId, registryId, externalName }: NamedLink) {
    const { pool, links } = this.#dependencies
    const former = { registryId, externalName }
    const key = await inTransaction(pool, async (transaction) => {
      await links.requestUnlink(transaction, former, { projectId, accountId })
      return projectId ? links.requestLink(transaction, projectId) : undefined
    })
    await this.#reconcile(key ? [former, key] : [former])
  }

  /** Looks for what is not as the records say, and does all that is due. Answers how many registries were left for good. */
  async reconcileAll(signal: AbortSignal): Promise<number> {
    const { drifted: orphans, reconciler: keeper, workers, removal } = this.#dependencies
    await orphans.enqueueOrphaned(null)
    await orphans.enqueueUnlinked()
    await orphans.enqueueUnverified()
    await keeper.reconcileDue(signal)
    await workers.reconcileDue(signal)
    return removal.complete()
  }

  /** Also what another caller has written down meanwhile is done here, so whoever comes last takes registries that are left away. */
  async #reconcile(keys: readonly LinkKey[], ...registryIds: string[]): Promise<void> {
    const { reconciler: keeper, workers, removal } = this.#dependencies
    for (const key of keys) {
      await keeper.reconcile(key)
    }
    for (const id of new Set([...registryIds, ...keys.map(({ registryId }) => registryId)])) {
      await workers.reconcile(id)
    }
    await removal.complete()
  }
}
