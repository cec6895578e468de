import type pg from 'pg'

import type { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { serviceOrigin } from '#auth/service_origin'
import type { DatabasePool } from '#database/database_pool'
import { inTransaction } from '#records/transaction'

import type { LinkKeeper } from './link_keeper.js'
import type { Orphans } from './orphans.js'
import type { Place, RegistryLinks } from './registry_links.js'
import type { RegistryWorkerKeeper } from './registry_worker_keeper.js'
import type { RegistryRemoval } from './registry_removal.js'
import { setUp } from './setup.js'

interface Needs {
  readonly pool: DatabasePool
  readonly links: RegistryLinks
  readonly keeper: LinkKeeper
  readonly workers: RegistryWorkerKeeper
  readonly orphans: Orphans
  readonly removal: RegistryRemoval
  readonly projects: RegistryProjectService
}

/** A project by the name it has in its registry, also where its record is gone. */
export interface NamedProject extends Place {
  readonly id?: string | null
  readonly accountId?: string | null
}

/**
 * Does in registries what the records want done there: writes down what is wanted and tries it once. A registry that does not
 * do it holds up nothing else, and is tried again by `keepAll`.
 */
export class RegistryWork {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Answers what is left to be written. */
  async setUp(registryId: string): Promise<(transaction: pg.ClientBase) => Promise<void>> {
    const { keeper, projects } = this.#needs
    const origin = await serviceOrigin()
    await keeper.prove(registryId)
    return (transaction) => setUp(projects, transaction, origin, registryId)
  }

  async cleanUp(registryId: string): Promise<void> {
    await this.#keep(await this.#needs.orphans.find(registryId))
  }

  async leave(registryId: string): Promise<void> {
    await this.#keep(await this.#needs.removal.begin(registryId), registryId)
  }

  async link(projectId: string, secret?: string | null): Promise<void> {
    const { pool, links } = this.#needs
    const place = await inTransaction(pool, (transaction) =>
      links.want(transaction, projectId, secret)
    )
    await this.#keep(place ? [place] : [])
  }

  async unlink({ id: projectId, accountId, registryId, externalName }: NamedProject) {
    const { pool, links } = this.#needs
    const place = { registryId, externalName }
    await inTransaction(pool, (transaction) =>
      links.part(transaction, place, { projectId, accountId })
    )
    await this.#keep([place])
  }

  /** What has the same name as before is mended where it is: to remove it first would lose what is in it. */
  async relink({ id: projectId, accountId, registryId, externalName }: NamedProject) {
    const { pool, links } = this.#needs
    const former = { registryId, externalName }
    const place = await inTransaction(pool, async (transaction) => {
      await links.part(transaction, former, { projectId, accountId })
      return projectId ? links.want(transaction, projectId) : undefined
    })
    await this.#keep(place ? [former, place] : [former])
  }

  /** Looks for what is not as the records say, and does all that is due. Answers how many registries were left for good. */
  async keepAll(signal: AbortSignal): Promise<number> {
    const { orphans, keeper, workers, removal } = this.#needs
    await orphans.find(null)
    await orphans.findUnlinked()
    await orphans.findUnproven()
    await keeper.keepDue(signal)
    await workers.keepDue(signal)
    return removal.complete()
  }

  /** Also what another caller has written down meanwhile is done here, so whoever comes last takes registries that are left away. */
  async #keep(places: readonly Place[], ...registryIds: string[]): Promise<void> {
    const { keeper, workers, removal } = this.#needs
    for (const place of places) {
      await keeper.keep(place)
    }
    for (const id of new Set([...registryIds, ...places.map(({ registryId }) => registryId)])) {
      await workers.keep(id)
    }
    await removal.complete()
  }
}
