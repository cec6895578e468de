import { projectNode } from '#core/project_nodes/project_node'
import { ProjectNodeService } from '#core/project_nodes/project_node_service'
import { lazyService } from '#records/services'

/** The one who adds nodes to projects, and takes them out again. */
export const projectNodes = lazyService('core', projectNode, ProjectNodeService)
