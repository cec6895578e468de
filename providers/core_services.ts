import type { ApplicationService } from '@adonisjs/core/types'

import { AnalysisCredentials } from '#core/analyses/analysis_credentials'
import { AnalysisLogService } from '#core/analysis_logs/analysis_log_service'
import { ANALYSIS, ANALYSIS_AT_NODE } from '#core/analysis_logs/log_subject'
import { AnalysisTimeline } from '#core/analysis_timeline/analysis_timeline'
import { eventSource } from '#core/analysis_timeline/event_source'
import { historySource } from '#core/analysis_timeline/history_source'
import { logSource } from '#core/analysis_timeline/log_source'
import { AnalysisPermissions } from '#core/analyses/analysis_permissions'
import { AnalysisService } from '#core/analyses/analysis_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import { AnalysisCommands } from '#core/analysis_life/analysis_commands'
import { AnalysisExplanation } from '#core/analysis_life/analysis_explanation'
import { ProcessReports } from '#core/analysis_life/process_reports'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { CodeLocks } from '#core/code_locks/code_locks'
import { BuildLocations } from '#core/build_images/build_locations'
import { BuildSignatures } from '#core/build_images/build_signatures'
import { AcceptedKeys } from '#core/image_keys/accepted_keys'
import { MasterImageService } from '#core/master_images/master_image_service'
import { NodeConnections } from '#core/nodes/node_connections'
import { NodeCredentials } from '#core/nodes/node_credentials'
import { ClientTasks } from '#core/clients/client_tasks'
import { SecretReplacements } from '#core/clients/secret_replacements'
import { NodeService } from '#core/nodes/node_service'
import { OwnClients } from '#core/clients/own_clients'
import { NodePresence } from '#core/nodes/node_presence'
import { PLAIN_KINDS } from '#core/plain_kinds'
import { ProjectNodeService } from '#core/project_nodes/project_node_service'
import { ProjectService } from '#core/projects/project_service'
import { ExternalNames } from '#core/registries/external_names'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { corePool } from '#core/database'
import { configuredKeys } from '#oci/signing/own_keys'
import { env } from '#start/env'
import { EventSink } from '#records/events'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import { serviceKeyOf } from '#records/service_key'
import { wireRegistries } from './registry_services.js'

type Container = ApplicationService['container']
type ServiceOptions = () => Promise<RecordServiceOptions>

/**
 * Binds the services of core, one for each kind.
 */
export function wireCore({ container }: ApplicationService): void {
  const options = async () => ({ pool: corePool(), sink: await container.make(EventSink) })
  for (const kind of PLAIN_KINDS) {
    container.singleton(serviceKeyOf(kind), async () => new RecordService(kind, await options()))
  }
  container.singleton(ProjectService, async () => new ProjectService(await options()))
  container.singleton(
    SecretReplacements,
    async (resolver) => new SecretReplacements(corePool(), await resolver.make('signals'))
  )
  container.singleton(
    ProjectNodeService,
    async (resolver) =>
      new ProjectNodeService(await options(), await resolver.make(SecretReplacements))
  )
  container.singleton(AcceptedKeys, () => new AcceptedKeys(corePool(), () => configuredKeys(env)))
  container.singleton(BuildSignatures, async (resolver) => {
    const accepted = await resolver.make(AcceptedKeys)
    return new BuildSignatures({
      locations: new BuildLocations(corePool(), env.IMAGES_PATH),
      keys: () => accepted.all(),
      logger: () => container.make('logger'),
    })
  })
  wireAnalyses(container, options)
  wireNodes(container, options)
  wireRegistries(container, options)
}

function wireAnalyses(container: Container, options: ServiceOptions): void {
  const hasConsumers = async (queue: string) => {
    const bus = await container.make('bus')
    return bus.hasConsumers(queue)
  }
  container.singleton(
    AnalysisUpkeep,
    async (resolver) => new AnalysisUpkeep(await options(), await resolver.make(SecretReplacements))
  )
  container.singleton(
    AnalysisService,
    async (resolver) =>
      new AnalysisService(await options(), {
        clients: await resolver.make(OwnClients),
        analysisNodes: await resolver.make(AnalysisNodeService),
        upkeep: await resolver.make(AnalysisUpkeep),
        codeLocks: await resolver.make(CodeLocks),
      })
  )
  container.singleton(
    CodeLocks,
    async (resolver) =>
      new CodeLocks({
        pool: corePool(),
        storage: await resolver.make('bucketLocks'),
        signals: await resolver.make('signals'),
        logger: await resolver.make('logger'),
      })
  )
  container.singleton(
    AnalysisCommands,
    async (resolver) =>
      new AnalysisCommands({
        pool: corePool(),
        analyses: await resolver.make(AnalysisService),
        analysisNodes: await resolver.make(AnalysisNodeService),
        upkeep: await resolver.make(AnalysisUpkeep),
        codeLocks: await resolver.make(CodeLocks),
        hasConsumers: hasConsumers,
        storedCode: await resolver.make('storedCode'),
        signatures: await resolver.make(BuildSignatures),
      })
  )
  container.singleton(
    AnalysisExplanation,
    async (resolver) =>
      new AnalysisExplanation(
        corePool(),
        hasConsumers,
        await resolver.make(AnalysisLogService),
        await resolver.make(BuildSignatures)
      )
  )
  container.singleton(
    ProcessReports,
    async (resolver) =>
      new ProcessReports(
        await resolver.make(AnalysisService),
        await resolver.make(AnalysisUpkeep),
        await resolver.make(AnalysisNodeService)
      )
  )
  for (const Part of [AnalysisNodeService, AnalysisBucketService, AnalysisBucketFileService]) {
    container.singleton(
      Part,
      async (resolver) => new Part(await options(), await resolver.make(AnalysisUpkeep))
    )
  }
  container.singleton(
    MasterImageService,
    async (resolver) =>
      new MasterImageService(await options(), await resolver.make(AnalysisService))
  )
  container.singleton(AnalysisCredentials, async () => new AnalysisCredentials(await options()))
  container.singleton(
    AnalysisLogService,
    async (resolver) => new AnalysisLogService(corePool(), await resolver.make('analysisLogStore'))
  )
  container.singleton(AnalysisTimeline, async (resolver) => {
    const logs = await resolver.make('analysisLogStore')
    const sources = {
      open: [eventSource(await resolver.make('eventReader')), historySource(corePool())],
      logs: [
        historySource(corePool(), 'problems'),
        ...[ANALYSIS, ANALYSIS_AT_NODE].map(({ toStoredLabels: keptAs }) =>
          logSource(logs, (analysisId) => keptAs({ analysisId }))
        ),
      ],
    }
    return new AnalysisTimeline(sources, await resolver.make(AnalysisLogService))
  })
  container.singleton(AnalysisPermissions, async () => new AnalysisPermissions(await options()))
}

function wireNodes(container: Container, options: ServiceOptions): void {
  container.singleton(
    ClientTasks,
    async (resolver) => new ClientTasks(corePool(), await resolver.make('signals'))
  )
  container.singleton(
    OwnClients,
    async (resolver) =>
      new OwnClients({
        pool: corePool(),
        tasks: await resolver.make(ClientTasks),
        identity: () => container.make('identity'),
        logger: () => container.make('logger'),
      })
  )
  container.singleton(
    NodeConnections,
    async (resolver) =>
      new NodeConnections(
        corePool(),
        await resolver.make(RegistryProjectService),
        await resolver.make(ExternalNames)
      )
  )
  container.singleton(
    NodeService,
    async (resolver) =>
      new NodeService(await options(), {
        clients: await resolver.make(OwnClients),
        connections: await resolver.make(NodeConnections),
        projectNodes: await resolver.make(ProjectNodeService),
        analysisNodes: await resolver.make(AnalysisNodeService),
      })
  )
  container.singleton(
    NodePresence,
    async (resolver) => new NodePresence(corePool(), await resolver.make(NodeService))
  )
  container.singleton(NodeCredentials, async () => new NodeCredentials(await options()))
}
