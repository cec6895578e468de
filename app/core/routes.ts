import { analysis } from '#core/analyses/analysis'
import { analysisClientRoutes } from '#core/analyses/analysis_client_routes'
import { analyses } from '#core/analyses/services'
import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { analysisBucketFiles } from '#core/analysis_bucket_files/services'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { analysisBuckets } from '#core/analysis_buckets/services'
import { analysisNodeEvent } from '#core/analysis_node_events/analysis_node_event'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { analysisNodes } from '#core/analysis_nodes/services'
import { masterImageGroup } from '#core/master_image_groups/master_image_group'
import { masterImage } from '#core/master_images/master_image'
import { masterImageRoutes } from '#core/master_images/master_image_routes'
import { masterImages } from '#core/master_images/services'
import { credentialRoutes } from '#core/nodes/credential_routes'
import { node } from '#core/nodes/node'
import { notePresence } from '#core/nodes/note_presence'
import { nodes } from '#core/nodes/services'
import { projectNode } from '#core/project_nodes/project_node'
import { projectNodes } from '#core/project_nodes/services'
import { project } from '#core/projects/project'
import { projects } from '#core/projects/services'
import { registry } from '#core/registries/registry'
import { serviceRoutes } from '#core/registries/service_routes'
import { registries } from '#core/registries/services'
import { registryProject } from '#core/registry_projects/registry_project'
import { registryProjects } from '#core/registry_projects/services'
import { commonRoutes } from '#openapi/common_routes'
import type { Surface } from '#http/surface'
import { recordRoutes } from '#records/record_routes'
import { lazyService } from '#records/services'

const core: Surface = {
  name: 'core',
  title: 'Core',
  summary: 'Projects, nodes, analyses, approvals and credentials',
  notesCaller: notePresence,
  routes(routes) {
    commonRoutes(routes, core)
    for (const kind of [masterImageGroup, analysisNodeEvent]) {
      recordRoutes(routes, kind, lazyService('core', kind))
    }
    recordRoutes(routes, registry, registries)
    recordRoutes(routes, registryProject, registryProjects)
    serviceRoutes(routes)
    recordRoutes(routes, node, nodes)
    credentialRoutes(routes)
    recordRoutes(routes, project, projects)
    recordRoutes(routes, projectNode, projectNodes)
    recordRoutes(routes, masterImage, masterImages)
    masterImageRoutes(routes, masterImages)
    recordRoutes(routes, analysis, analyses)
    analysisClientRoutes(routes)
    recordRoutes(routes, analysisNode, analysisNodes)
    recordRoutes(routes, analysisBucket, analysisBuckets)
    recordRoutes(routes, analysisBucketFile, analysisBucketFiles)
  },
}

export default core
