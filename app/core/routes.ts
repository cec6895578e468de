import { administrationRoutes } from '#core/administration/administration_routes'
import { examinationRoutes } from '#core/administration/examination_routes'
import { analysisCommandRoutes } from '#core/analysis_life/command_routes'
import { stuckAnalysisRoutes } from '#core/analysis_life/stuck_routes'
import { timelineRoutes } from '#core/analysis_timeline/timeline_routes'
import { analysis } from '#core/analyses/analysis'
import { AnalysisService } from '#core/analyses/analysis_service'
import { buildRegistryRoutes } from '#core/analyses/build_registry_routes'
import { analysisCodeRoutes } from '#core/analyses/code_routes'
import { analysisContentRoutes } from '#core/analyses/content_routes'
import { analysisClientRoutes } from '#core/analyses/analysis_client_routes'
import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import { analysisLogRoutes } from '#core/analysis_logs/analysis_log_routes'
import { storageReachRoutes } from '#core/analysis_storage/storage_reach_routes'
import { codeRemovalRoutes } from '#core/code_locks/code_removal_routes'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { analysisNodeChangesRoutes } from '#core/analysis_nodes/changes_routes'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { imageKeyRoutes } from '#core/image_keys/image_key_routes'
import { masterImage } from '#core/master_images/master_image'
import { MasterImageService } from '#core/master_images/master_image_service'
import { masterImageRoutes } from '#core/master_images/master_image_routes'
import { credentialRoutes } from '#core/nodes/credential_routes'
import { node } from '#core/nodes/node'
import { NodeService } from '#core/nodes/node_service'
import { presenceRoutes } from '#core/nodes/presence_routes'
import { recordPresence } from '#core/nodes/record_presence'
import { PLAIN_KINDS } from './plain_kinds.js'
import { projectNode } from '#core/project_nodes/project_node'
import { ProjectNodeService } from '#core/project_nodes/project_node_service'
import { project } from '#core/projects/project'
import { ProjectService } from '#core/projects/project_service'
import { registry } from '#core/registries/registry'
import { RegistryService } from '#core/registries/registry_service'
import { adoptionRoutes } from '#core/registries/adoption_routes'
import { serviceRoutes } from '#core/registries/service_routes'
import { workerCredentialRoutes } from '#core/registries/worker_credential_routes'
import { registryProject } from '#core/registry_projects/registry_project'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { commonRoutes } from '#openapi/common_routes'
import type { Surface } from '#http/surface'
import { recordRoutes } from '#records/record_routes'

const core: Surface = {
  name: 'core',
  title: 'Core',
  summary: 'Projects, nodes, analyses, approvals and credentials',
  onCaller: recordPresence,
  routes(routes) {
    commonRoutes(routes, core)
    PLAIN_KINDS.forEach((kind) => recordRoutes(routes, kind))
    recordRoutes(routes, registry, RegistryService)
    workerCredentialRoutes(routes)
    recordRoutes(routes, registryProject, RegistryProjectService)
    adoptionRoutes(routes)
    serviceRoutes(routes)
    recordRoutes(routes, node, NodeService)
    credentialRoutes(routes)
    presenceRoutes(routes)
    recordRoutes(routes, project, ProjectService)
    recordRoutes(routes, projectNode, ProjectNodeService)
    recordRoutes(routes, masterImage, MasterImageService)
    masterImageRoutes(routes)
    imageKeyRoutes(routes)
    recordRoutes(routes, analysis, AnalysisService)
    analysisCommandRoutes(routes)
    analysisContentRoutes(routes)
    analysisCodeRoutes(routes)
    buildRegistryRoutes(routes)
    timelineRoutes(routes)
    stuckAnalysisRoutes(routes)
    analysisClientRoutes(routes)
    recordRoutes(routes, analysisNode, AnalysisNodeService)
    analysisNodeChangesRoutes(routes)
    recordRoutes(routes, analysisBucket, AnalysisBucketService)
    recordRoutes(routes, analysisBucketFile, AnalysisBucketFileService)
    storageReachRoutes(routes)
    codeRemovalRoutes(routes)
    analysisLogRoutes(routes)
    administrationRoutes(routes)
    examinationRoutes(routes)
  },
}

export default core
