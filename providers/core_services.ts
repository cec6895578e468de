import type { ApplicationService } from '@adonisjs/core/types'

import { AnalysisCredentials } from '#core/analyses/analysis_credentials'
import { AnalysisPermissions } from '#core/analyses/analysis_permissions'
import { AnalysisService } from '#core/analyses/analysis_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { MasterImageService } from '#core/master_images/master_image_service'
import { NodeCredentials } from '#core/nodes/credentials'
import { clientTasks } from '#core/clients/identity'
import { NodeService } from '#core/nodes/node_service'
import { OwnClients } from '#core/clients/own_clients'
import { NodePresence } from '#core/nodes/presence'
import { PLAIN_KINDS } from '#core/plain_kinds'
import { ProjectNodeService } from '#core/project_nodes/project_node_service'
import { ProjectService } from '#core/projects/project_service'
import { HookSenders } from '#core/registries/hook_sender'
import { RegistryService } from '#core/registries/registry_service'
import { hookSecrets } from '#core/registries/work'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { eventSink } from '#records/event_sink'
import { RecordService } from '#records/record_service'
import { serviceKeyOf } from '#records/service_key'

const pool = () => pools.for(databaseUrl('core'))
const options = () => ({ pool: pool(), sink: eventSink })

/**
 * Wires the services of core, one for each kind. Where two need each other, one of them looks for the other when it needs it.
 */
export function wireCore({ container }: ApplicationService): void {
  for (const kind of PLAIN_KINDS) {
    container.singleton(serviceKeyOf(kind), () => new RecordService(kind, options()))
  }
  container.singleton(ProjectService, () => new ProjectService(options()))
  container.singleton(ProjectNodeService, () => new ProjectNodeService(options()))
  wireAnalyses(container)
  wireNodes(container)
  wireRegistries(container)
}

function wireAnalyses(container: ApplicationService['container']): void {
  container.singleton(
    AnalysisUpkeep,
    () =>
      new AnalysisUpkeep(pool(), {
        analyses: () => container.make(AnalysisService),
        analysisNodes: () => container.make(AnalysisNodeService),
      })
  )
  container.singleton(
    AnalysisService,
    async (resolver) =>
      new AnalysisService(options(), {
        clients: await resolver.make(OwnClients),
        analysisNodes: await resolver.make(AnalysisNodeService),
        upkeep: await resolver.make(AnalysisUpkeep),
      })
  )
  for (const Part of [AnalysisNodeService, AnalysisBucketService, AnalysisBucketFileService]) {
    container.singleton(
      Part,
      async (resolver) => new Part(options(), await resolver.make(AnalysisUpkeep))
    )
  }
  container.singleton(
    MasterImageService,
    async (resolver) => new MasterImageService(options(), await resolver.make(AnalysisService))
  )
  container.singleton(AnalysisCredentials, () => new AnalysisCredentials(options()))
  container.singleton(AnalysisPermissions, () => new AnalysisPermissions(options()))
}

function wireNodes(container: ApplicationService['container']): void {
  container.singleton(
    OwnClients,
    () =>
      new OwnClients({
        pool: pool(),
        tasks: clientTasks(),
        identity: () => container.make('identity'),
        logger: () => container.make('logger'),
      })
  )
  container.singleton(
    NodeService,
    async (resolver) =>
      new NodeService(options(), {
        clients: await resolver.make(OwnClients),
        registryProjects: await resolver.make(RegistryProjectService),
        projectNodes: await resolver.make(ProjectNodeService),
        analysisNodes: await resolver.make(AnalysisNodeService),
      })
  )
  container.singleton(
    NodePresence,
    async (resolver) => new NodePresence(pool(), await resolver.make(NodeService))
  )
  container.singleton(NodeCredentials, () => new NodeCredentials(pool()))
}

function wireRegistries(container: ApplicationService['container']): void {
  container.singleton(
    RegistryProjectService,
    () => new RegistryProjectService(options(), () => container.make(NodeService))
  )
  container.singleton(
    RegistryService,
    async (resolver) =>
      new RegistryService(options(), {
        analyses: await resolver.make(AnalysisService),
        nodes: await resolver.make(NodeService),
        registryProjects: await resolver.make(RegistryProjectService),
      })
  )
  container.singleton(HookSenders, () => new HookSenders(hookSecrets()))
}
