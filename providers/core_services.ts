import type { ApplicationService } from '@adonisjs/core/types'

import { Bus } from '#bus/bus'
import { AnalysisCredentials } from '#core/analyses/analysis_credentials'
import { AnalysisPermissions } from '#core/analyses/analysis_permissions'
import { AnalysisService } from '#core/analyses/analysis_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import { AnalysisCommands } from '#core/analysis_life/analysis_commands'
import { AnalysisExplanation } from '#core/analysis_life/analysis_explanation'
import { ProcessReports } from '#core/analysis_life/process_reports'
import { AnalysisLogService } from '#core/analysis_logs/analysis_log_service'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { AnalysisTimeline } from '#core/analysis_timeline/analysis_timeline'
import { BuildLocations } from '#core/build_images/build_locations'
import { BuildSignatures } from '#core/build_images/build_signatures'
import { ClientTasks } from '#core/clients/client_tasks'
import { OwnClients } from '#core/clients/own_clients'
import { SecretReplacements } from '#core/clients/secret_replacements'
import { CodeLocks } from '#core/code_locks/code_locks'
import { QueueConsumers } from '#core/command_warnings'
import { CoreRecords } from '#core/core_records'
import { CorePool, corePool } from '#core/database'
import { AcceptedKeys } from '#core/image_keys/accepted_keys'
import { MasterImageService } from '#core/master_images/master_image_service'
import { NodeConnections } from '#core/nodes/node_connections'
import { NodeCredentials } from '#core/nodes/node_credentials'
import { NodePresence } from '#core/nodes/node_presence'
import { NodePresenceReader } from '#core/nodes/node_presence_reader'
import { NodeReports } from '#core/nodes/node_reports'
import { NodeService } from '#core/nodes/node_service'
import { PLAIN_KINDS } from '#core/plain_kinds'
import { ProjectNodeService } from '#core/project_nodes/project_node_service'
import { ProjectService } from '#core/projects/project_service'
import { DriftedLinks } from '#core/registries/drifted_links'
import { EnvironmentRegistry } from '#core/registries/environment_registry'
import { ExternalNames } from '#core/registries/external_names'
import { LinkReconciler } from '#core/registries/link_reconciler'
import { RegistryAccounts } from '#core/registries/registry_accounts'
import { RegistryLinks } from '#core/registries/registry_links'
import { RegistryOperations } from '#core/registries/registry_operations'
import { RegistryReconciler } from '#core/registries/registry_reconciler'
import { RegistryRemoval } from '#core/registries/registry_removal'
import { RegistryService } from '#core/registries/registry_service'
import { WebhookSecrets } from '#core/registries/webhook_secrets'
import { WebhookSenders } from '#core/registries/webhook_senders'
import { WorkerAccountReconciler } from '#core/registries/worker_account_reconciler'
import { WorkerAccounts } from '#core/registries/worker_accounts'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { RecordService } from '#records/record_service'
import { serviceKeyOf } from '#records/service_key'
import { makeOnce } from './made_once.js'

const SERVICES = [
  CoreRecords,
  AcceptedKeys,
  AnalysisBucketFileService,
  AnalysisBucketService,
  AnalysisCommands,
  AnalysisCredentials,
  AnalysisExplanation,
  AnalysisLogService,
  AnalysisNodeService,
  AnalysisPermissions,
  AnalysisService,
  AnalysisTimeline,
  AnalysisUpkeep,
  BuildLocations,
  BuildSignatures,
  ClientTasks,
  CodeLocks,
  DriftedLinks,
  EnvironmentRegistry,
  ExternalNames,
  LinkReconciler,
  MasterImageService,
  NodeConnections,
  NodeCredentials,
  NodePresence,
  NodePresenceReader,
  NodeReports,
  NodeService,
  OwnClients,
  ProcessReports,
  ProjectNodeService,
  ProjectService,
  RegistryAccounts,
  RegistryLinks,
  RegistryOperations,
  RegistryProjectService,
  RegistryReconciler,
  RegistryRemoval,
  RegistryService,
  SecretReplacements,
  WebhookSecrets,
  WebhookSenders,
  WorkerAccountReconciler,
  WorkerAccounts,
]

/** Binds the services of core. */
export function wireCore({ container }: ApplicationService): void {
  container.singleton(CorePool, () => corePool())
  container.bindValue(QueueConsumers, {
    async hasConsumers(queue) {
      const bus = await container.make(Bus)
      return bus.hasConsumers(queue)
    },
  })
  makeOnce(container, SERVICES)
  for (const kind of PLAIN_KINDS) {
    container.singleton(
      serviceKeyOf(kind),
      async (resolver) => new RecordService(kind, await resolver.make(CoreRecords))
    )
  }
}
