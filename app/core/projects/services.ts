import { project } from '#core/projects/project'
import { ProjectService } from '#core/projects/project_service'
import { lazyService } from '#records/services'

export const projects = lazyService('core', project, ProjectService)
