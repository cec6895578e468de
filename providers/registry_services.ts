import type { ApplicationService } from '@adonisjs/core/types'

import { AnalysisService } from '#core/analyses/analysis_service'
import { createRegistryDriver } from '#core/registries/create_registry_driver'
import { ExternalNames } from '#core/registries/external_names'
import { EnvironmentRegistry } from '#core/registries/environment_registry'
import { createWebhook } from '#core/registries/create_webhook'
import { WebhookSecrets } from '#core/registries/webhook_secrets'
import { WebhookSenders } from '#core/registries/webhook_senders'
import { LinkReconciler } from '#core/registries/link_reconciler'
import { RegistryOperations } from '#core/registries/registry_operations'
import { DriftedLinks } from '#core/registries/drifted_links'
import { RegistryAccounts } from '#core/registries/registry_accounts'
import { RegistryLinks } from '#core/registries/registry_links'
import { RegistryRemoval } from '#core/registries/registry_removal'
import { RegistryService } from '#core/registries/registry_service'
import { RegistryReconciler } from '#core/registries/registry_reconciler'
import { WorkerAccountReconciler } from '#core/registries/worker_account_reconciler'
import { WorkerAccounts } from '#core/registries/worker_accounts'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { serviceOrigin } from '#auth/service_origin'
import { corePool } from '#core/database'
import type { RecordServiceOptions } from '#records/record_service'

type Container = ApplicationService['container']

/** The time limit of the request that checks whether a registry has a project of a name. */
const NAME_LIMIT_MS = 3_000

/** Binds the services of registries: their records, their operations, and their reconciliation. */
export function wireRegistries(
  container: Container,
  options: () => Promise<RecordServiceOptions>
): void {
  container.singleton(
    RegistryProjectService,
    async (resolver) =>
      new RegistryProjectService(await options(), {
        names: await resolver.make(ExternalNames),
        links: await resolver.make(RegistryLinks),
      })
  )
  container.singleton(
    RegistryService,
    async (resolver) =>
      new RegistryService(await options(), {
        links: await resolver.make(RegistryLinks),
        hooks: await resolver.make(WebhookSecrets),
        workers: await resolver.make(WorkerAccounts),
        analyses: await resolver.make(AnalysisService),
        registryProjects: await resolver.make(RegistryProjectService),
      })
  )
  container.singleton(
    ExternalNames,
    async (resolver) =>
      new ExternalNames({
        pool: corePool(),
        createDriver: (access) => createRegistryDriver(access, { limitMs: NAME_LIMIT_MS }),
        logger: await resolver.make('logger'),
      })
  )
  container.singleton(WorkerAccounts, () => new WorkerAccounts(corePool()))
  container.singleton(
    RegistryLinks,
    async (resolver) => new RegistryLinks(corePool(), await resolver.make(WorkerAccounts))
  )
  container.singleton(WebhookSecrets, () => new WebhookSecrets(corePool()))
  container.singleton(
    WebhookSenders,
    async (resolver) => new WebhookSenders(await resolver.make(WebhookSecrets))
  )
  container.singleton(
    RegistryOperations,
    async (resolver) =>
      new RegistryOperations({
        pool: corePool(),
        links: await resolver.make(RegistryLinks),
        hooks: await resolver.make(WebhookSecrets),
        workers: await resolver.make(WorkerAccounts),
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
    DriftedLinks,
    async (resolver) => new DriftedLinks(corePool(), await resolver.make(RegistryLinks))
  )
  container.singleton(
    RegistryRemoval,
    async (resolver) =>
      new RegistryRemoval({
        pool: corePool(),
        links: await resolver.make(RegistryLinks),
        workers: await resolver.make(WorkerAccounts),
        registries: await resolver.make(RegistryService),
      })
  )
  container.singleton(LinkReconciler, async (resolver) => {
    const hooks = await resolver.make(WebhookSecrets)
    return new LinkReconciler({
      pool: corePool(),
      links: await resolver.make(RegistryLinks),
      projects: await resolver.make(RegistryProjectService),
      createDriver: createRegistryDriver,
      createWebhook: (registryId) => createWebhook(hooks, registryId),
      origin: serviceOrigin,
      logger: await resolver.make('logger'),
    })
  })
  container.singleton(
    WorkerAccountReconciler,
    async (resolver) =>
      new WorkerAccountReconciler({
        workers: await resolver.make(WorkerAccounts),
        createDriver: createRegistryDriver,
        logger: await resolver.make('logger'),
      })
  )
  container.singleton(
    RegistryAccounts,
    async (resolver) =>
      new RegistryAccounts({
        pool: corePool(),
        workers: await resolver.make(WorkerAccounts),
        createDriver: createRegistryDriver,
        logger: await resolver.make('logger'),
      })
  )
  container.singleton(
    RegistryReconciler,
    async (resolver) =>
      new RegistryReconciler({
        pool: corePool(),
        links: await resolver.make(RegistryLinks),
        reconciler: await resolver.make(LinkReconciler),
        workers: await resolver.make(WorkerAccountReconciler),
        drifted: await resolver.make(DriftedLinks),
        removal: await resolver.make(RegistryRemoval),
        projects: await resolver.make(RegistryProjectService),
      })
  )
}
