import type { ApplicationService } from '@adonisjs/core/types'

import { AnalysisService } from '#core/analyses/analysis_service'
import { NodeService } from '#core/nodes/node_service'
import { driverOf } from '#core/registries/driver_of'
import { ExternalNames } from '#core/registries/external_names'
import { EnvironmentRegistry } from '#core/registries/environment_registry'
import { hookOf } from '#core/registries/hook'
import { HookSecrets } from '#core/registries/hook_secrets'
import { HookSenders } from '#core/registries/hook_sender'
import { LinkKeeper } from '#core/registries/link_keeper'
import { RegistryOperations } from '#core/registries/operations'
import { Orphans } from '#core/registries/orphans'
import { RegistryAccounts } from '#core/registries/registry_accounts'
import { RegistryLinks } from '#core/registries/registry_links'
import { RegistryRemoval } from '#core/registries/registry_removal'
import { RegistryService } from '#core/registries/registry_service'
import { RegistryWork } from '#core/registries/registry_work'
import { RegistryWorkerKeeper } from '#core/registries/registry_worker_keeper'
import { RegistryWorkers } from '#core/registries/registry_workers'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { serviceOrigin } from '#auth/service_origin'
import { corePool } from '#core/database'
import type { RecordServiceOptions } from '#records/record_service'

type Container = ApplicationService['container']

/** How long a request waits for a registry to say whether it has a project of a name. */
const NAME_LIMIT_MS = 3_000

/** Wires what has to do with registries: their records, what is asked of them, and what is done in them. */
export function wireRegistries(
  container: Container,
  options: () => Promise<RecordServiceOptions>
): void {
  container.singleton(
    RegistryProjectService,
    async (resolver) =>
      new RegistryProjectService(await options(), {
        nodes: () => container.make(NodeService),
        names: await resolver.make(ExternalNames),
        links: await resolver.make(RegistryLinks),
      })
  )
  container.singleton(
    RegistryService,
    async (resolver) =>
      new RegistryService(await options(), {
        links: await resolver.make(RegistryLinks),
        hooks: await resolver.make(HookSecrets),
        workers: await resolver.make(RegistryWorkers),
        analyses: await resolver.make(AnalysisService),
        nodes: await resolver.make(NodeService),
        registryProjects: await resolver.make(RegistryProjectService),
      })
  )
  container.singleton(
    ExternalNames,
    async (resolver) =>
      new ExternalNames({
        pool: corePool(),
        driverOf: (access) => driverOf(access, { limitMs: NAME_LIMIT_MS }),
        logger: await resolver.make('logger'),
      })
  )
  container.singleton(RegistryWorkers, () => new RegistryWorkers(corePool()))
  container.singleton(
    RegistryLinks,
    async (resolver) => new RegistryLinks(corePool(), await resolver.make(RegistryWorkers))
  )
  container.singleton(HookSecrets, () => new HookSecrets(corePool()))
  container.singleton(
    HookSenders,
    async (resolver) => new HookSenders(await resolver.make(HookSecrets))
  )
  container.singleton(
    RegistryOperations,
    async (resolver) =>
      new RegistryOperations({
        pool: corePool(),
        links: await resolver.make(RegistryLinks),
        hooks: await resolver.make(HookSecrets),
        workers: await resolver.make(RegistryWorkers),
      })
  )
  container.singleton(
    EnvironmentRegistry,
    async (resolver) => new EnvironmentRegistry(corePool(), await resolver.make(RegistryService))
  )
  wireWork(container)
}

function wireWork(container: Container): void {
  container.singleton(
    Orphans,
    async (resolver) => new Orphans(corePool(), await resolver.make(RegistryLinks))
  )
  container.singleton(
    RegistryRemoval,
    async (resolver) =>
      new RegistryRemoval({
        pool: corePool(),
        links: await resolver.make(RegistryLinks),
        workers: await resolver.make(RegistryWorkers),
        registries: await resolver.make(RegistryService),
      })
  )
  container.singleton(LinkKeeper, async (resolver) => {
    const hooks = await resolver.make(HookSecrets)
    return new LinkKeeper({
      pool: corePool(),
      links: await resolver.make(RegistryLinks),
      projects: await resolver.make(RegistryProjectService),
      driverOf,
      hook: (registryId) => hookOf(hooks, registryId),
      origin: serviceOrigin,
      logger: await resolver.make('logger'),
    })
  })
  container.singleton(
    RegistryWorkerKeeper,
    async (resolver) =>
      new RegistryWorkerKeeper({
        workers: await resolver.make(RegistryWorkers),
        driverOf,
        logger: await resolver.make('logger'),
      })
  )
  container.singleton(
    RegistryAccounts,
    async (resolver) =>
      new RegistryAccounts({
        pool: corePool(),
        workers: await resolver.make(RegistryWorkers),
        driverOf,
        logger: await resolver.make('logger'),
      })
  )
  container.singleton(
    RegistryWork,
    async (resolver) =>
      new RegistryWork({
        pool: corePool(),
        links: await resolver.make(RegistryLinks),
        keeper: await resolver.make(LinkKeeper),
        workers: await resolver.make(RegistryWorkerKeeper),
        orphans: await resolver.make(Orphans),
        removal: await resolver.make(RegistryRemoval),
        projects: await resolver.make(RegistryProjectService),
      })
  )
}
